"""Bad input: one clear sentence on standard error, exit status 2, nothing on standard output."""

import os

import pytest

from eventide.observe.dumps import KINDS

PIT = """
    from typing import Literal

    @ev.model
    def pit(sim, *, pits: int = 10, gap: float = 2.25, arrivals: Literal["random", "regular"] = "random"):
        yield ev.hold(1.0)
        return {"drawn": 3}
"""
KNOWN = "it has pits: int = 10, gap: float = 2.25, arrivals: 'random' | 'regular' = 'random'"
MANUAL = "; `eventide run --help` tells how it is written"


@pytest.fixture
def refuse(command):
    """A function: run the command, which is to be refused; answers its one sentence."""

    def run(*arguments):
        outcome = command("run", *arguments)
        assert (outcome.status, outcome.out) == (2, "")
        [line] = outcome.err.splitlines()
        assert line.startswith("eventide: ")
        return line.removeprefix("eventide: ")

    return run


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--set", "pit=3"], f"pit has no parameter pit; {KNOWN}; did you mean pits?"),
        (["--set", "pits=many"], "parameter pits of pit takes a whole number, and got 'many'"),
        (["--set", "pits=8.5"], "parameter pits of pit takes a whole number, and got '8.5'"),
        (["--set", "pits="], "parameter pits of pit takes a whole number, and got ''"),
        (["--set", "gap=wide"], "parameter gap of pit takes a number, and got 'wide'"),
        (["--set", "arrivals=odd"], "parameter arrivals of pit takes one of random, regular, and got 'odd'"),
        (["--set", "pits"], "--set takes NAME=VALUE, as --set pits=8, and got 'pits'"),
        (["--set", "=3"], "--set takes NAME=VALUE, as --set pits=8, and got '=3'"),
        (["--set", "pits=3", "--set", "pits=4"], "--set gives pits twice, '3' and '4': give it once"),
        (
            ["--until", "noon"],
            f"Invalid value for '--until': 'noon' is no time, which is a number from 0 on{MANUAL}",
        ),
        (["--until", "-1"], f"Invalid value for '--until': '-1' is no time, which is a number from 0 on{MANUAL}"),
        (["--until", "nan"], f"Invalid value for '--until': 'nan' is no time, which is a number from 0 on{MANUAL}"),
        (["--until", "inf"], f"Invalid value for '--until': 'inf' is no time, which is a number from 0 on{MANUAL}"),
        (
            ["--entropy", "1.5"],
            f"Invalid value for '--entropy': '1.5' is no entropy, which is a whole number from 0 on{MANUAL}",
        ),
        (
            ["--entropy", "-1"],
            f"Invalid value for '--entropy': '-1' is no entropy, which is a whole number from 0 on{MANUAL}",
        ),
        (["--out", "no/pit.csv"], "--out no/pit.csv cannot be written: there is no folder no"),
        (["--out", "."], "--out takes the name of a file, and . is a folder"),
        (["--out", "pit.py"], "--out pit.py is not written: a name that ends in .py is that of a program"),
        (
            ["--out", "pit.xlsx"],
            f"--out pit.xlsx is no kind of table that can be written: its name should end in {KINDS}",
        ),
        (["--plot", "no/pit.png"], "--plot no/pit.png cannot be written: there is no folder no"),
        (
            ["--plot", "pit.txt"],
            "--plot pit.txt is no kind of picture that can be drawn: its name should end in .png or .pdf or .svg",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_was_typed(refuse, model_file, arguments, sentence):
    assert refuse(model_file(PIT), *arguments) == sentence


def test_an_unknown_option(refuse, model_file):
    assert refuse(model_file(PIT), "--shape", "red").startswith("No such option: --shape")


def test_another_word_for_the_entropy(refuse, model_file):
    assert refuse(model_file(PIT), "--seed", "3") == f"No such option: --seed; it is --entropy{MANUAL}"


def test_no_file(refuse):
    assert refuse() == f"Missing argument 'FILE[:MODEL]'{MANUAL}"


def test_a_file_that_is_not_there(refuse, tmp_path):
    path = tmp_path / "none.py"

    assert refuse(path) == f"{path} does not exist: name a Python file with a model in it"


def test_a_folder(refuse, tmp_path):
    assert refuse(tmp_path) == f"{tmp_path} is a folder: name a Python file in it"


def test_a_file_that_is_not_python(refuse, model_file):
    path = model_file(PIT, "plant.txt")

    assert refuse(path) == f"{path} is not a Python file: the name of a model's file ends in .py"


def test_a_file_that_cannot_be_read(refuse, model_file, monkeypatch):
    path = model_file(PIT)

    def locked(self, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", locked)

    assert refuse(path) == f"{path} cannot be read: Permission denied"


def test_a_file_without_a_model(refuse, model_file):
    path = model_file("x = 3\n")

    assert refuse(path) == f"{path} has no model: put @ev.model above the function that makes it"


def test_a_file_that_only_imports_a_model(refuse, model_file):
    model_file(PIT, "imported_pit.py")
    path = model_file("from imported_pit import pit\n")

    assert refuse(path) == f"{path} has no model: put @ev.model above the function that makes it"


def test_two_models(refuse, model_file):
    path = model_file("@ev.model\ndef one(sim):\n    yield 1.0\n\n@ev.model\ndef two(sim):\n    yield 1.0\n")

    assert refuse(path) == f"{path} has 2 models, one, two: name one of them, as {path}:one"


def test_a_parameter_that_must_be_given(refuse, model_file):
    path = model_file("@ev.model\ndef drive(sim, *, road: str):\n    yield 1.0\n")

    assert refuse(path) == "drive needs --set road=...: road: str has no default"


def test_a_model_that_does_not_end(refuse, model_file):
    path = model_file("@ev.model\ndef tank(sim):\n    return {}\n")

    assert refuse(path) == "tank does not say when it ends: give it a time with --until"


def test_data_that_the_model_refuses(refuse, model_file):
    source = """
    @ev.model
    def drive(sim):
        yield ev.hold(1.0)
        raise ev.InputError("the road\\nis closed")
    """

    assert refuse(model_file(source)) == "the road is closed"


def test_data_that_the_file_refuses_when_it_is_loaded(refuse, model_file):
    assert refuse(model_file("raise ev.InputError('the road is closed')\n")) == "the road is closed"


DRIVE = """
    from pathlib import Path

    @ev.model
    def drive(sim, *, road: str = "road.csv"):
        profile = ev.data.read_table(Path(__file__).parent / road, ["position_m", "height_m"], increasing="position_m")
        yield ev.hold(float(profile["position_m"][-1]))
"""


@pytest.mark.parametrize(
    ("road", "complaint"),
    [
        ("position_m,level_m\n0,1\n", " has no column height_m; its columns are position_m, level_m"),
        ("position_m,height_m\n0,up\n", ", line 2: height_m is 'up'; allowed is a finite number, as 0.25 or 1e-3"),
        (
            "position_m,height_m\n0,1\n2,1\n1,1\n",
            ", line 4: position_m must increase, and 1.0 comes after 2.0 in line 3",
        ),
    ],
    ids=["missing column", "text for a number", "positions that fall"],
)
def test_a_road_that_cannot_be_driven(refuse, model_file, tmp_path, road, complaint):
    (tmp_path / "road.csv").write_text(road)

    assert refuse(model_file(DRIVE)) == f"{tmp_path / 'road.csv'}{complaint}"


def test_a_folder_that_is_protected(refuse, model_file, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK)

    assert refuse(model_file(PIT), "--out", "pit.csv") == (
        "--out pit.csv cannot be written: the folder . is write-protected"
    )


def test_no_result_is_lost_to_a_folder_that_is_not_there(refuse, model_file, tmp_path):
    source = """
    from pathlib import Path

    Path(__file__).with_name("was_loaded").touch()
    """

    refuse(model_file(source), "--out", "no/pit.csv")

    assert not (tmp_path / "was_loaded").exists()


def test_an_unknown_command(command):
    outcome = command("rum")

    assert (outcome.status, outcome.out) == (2, "")
    [line] = outcome.err.splitlines()
    assert line.startswith("eventide: No such command 'rum'")
    assert line.endswith("; `eventide --help` tells how it is written")
