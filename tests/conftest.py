"""What every test shares."""

import gc
import os
import signal

import pytest
from hypothesis import settings
from rows import RowMarkers, load_rows

os.environ["MPLBACKEND"] = "agg"  # pictures are made without a screen
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell leaves it to what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Properties are tried on the same examples every time, so that a red test is red again; no example is timed.
# `make test ARGS=--hypothesis-profile=search` looks for new ones.
settings.register_profile("repeat", derandomize=True, deadline=None)
settings.register_profile("search", max_examples=1000, deadline=None)
settings.load_profile("repeat")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--share", default="1/1", metavar="N/M", help="the tests of every M-th file, from the N-th on")


@pytest.hookimpl(trylast=True)  # of those that -m leaves
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    first, every = map(int, config.getoption("--share").split("/"))
    taken = {*sorted({item.path for item in items})[first - 1 :: every]}
    if others := [item for item in items if item.path not in taken]:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item.path in taken]


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(RowMarkers(load_rows()))


def pytest_collection() -> None:
    gc.disable()  # nearly all that collection makes stays


def pytest_collection_finish() -> None:
    freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if nextitem is not None and nextitem.path != item.path:
        freeze()


def freeze() -> None:
    """Leave out of later collections what is there: modules, tests, and what is learned of their code.

    It grows to millions of objects, and each full collection would pass through all of them.
    """
    gc.collect()
    gc.freeze()
