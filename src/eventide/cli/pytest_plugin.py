"""What pytest loads by an entry point: `pytest --requirements` collects files `*_requirements.py`.

Every run of pytest loads this module wherever eventide is installed, so that it loads nothing of eventide until it is
asked for.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that asks for requirements."""
    parser.getgroup("eventide").addoption(
        "--requirements", action="store_true", help="collect *_requirements.py: each test of a requirement is an item"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """A file of requirements, in place of the module of tests for which pytest takes any file that is named to it.

    Files `test_*` remain modules of tests.
    """
    found = yield
    name = file_path.name
    if (
        not parent.config.getoption("--requirements")
        or not name.endswith("_requirements.py")
        or name.startswith("test_")
    ):
        return found
    from eventide.verify.pytest_items import RequirementsFile

    return [RequirementsFile.from_parent(parent, path=file_path)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The margin of each requirement."""
    if terminalreporter.config.getoption("--requirements"):
        from eventide.verify.pytest_items import write_table

        write_table(terminalreporter)
