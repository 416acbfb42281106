"""What the tests of the command line share."""

from textwrap import dedent
from typing import NamedTuple

import pytest

from eventide.cli import main


class Outcome(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def model_file(tmp_path):
    """A function: write a model's file, with eventide imported as ev below the `head`; answers its path."""

    def write(source, name="plant.py", head=""):
        path = tmp_path / name
        path.write_text(f"{head}import eventide as ev\n\n{dedent(source)}")
        return path

    return write


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """A function: run `eventide` with these arguments in an empty folder `here`; answers status, stdout and stderr."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        return Outcome(status, *capsys.readouterr())

    return run
