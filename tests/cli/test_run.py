"""`eventide run`: what it prints and writes, and how it ends."""

import os
import re
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import eventide as ev
from eventide import __version__
from eventide.cli.job import Job
from eventide.experiment import imported, only_model, report

SHOP = """
    @ev.model
    def shop(sim, *, customers: int = 2, gap: float = 1.0):
        for _ in range(customers):
            yield ev.hold(sim.stream("gaps").exponential(gap))
        return {"closed at": ev.Quantity(sim.time, unit="h")}
"""
RECORDED = """
    @ev.model(until=2.0)
    def tank(sim, *, size: float = 1.0):
        sim.record(every=1.0, name="height", height=lambda: sim.time * size)
"""


def told(outcome):
    """Standard error, with the wall time replaced."""
    return re.sub(r"\d+\.\d\d s", "# s", outcome.err).splitlines()


# --- what is printed


def test_results_on_standard_output_and_wall_time_on_standard_error(command, model_file):
    path = model_file(SHOP)
    outcome = command("run", path, "--entropy", "7", "--set", "customers=3", "--set", "gap=0.5")
    with imported(path) as module:
        expected = report(only_model(module, path)(customers=3, gap=0.5).run(entropy=7))

    assert outcome.status == 0
    assert outcome.out == expected + "\n"
    assert told(outcome) == ["shop ran for # s"]


def test_entropy_is_fresh_and_printed(command, model_file):
    path = model_file(SHOP)
    first = command("run", path)
    [entropy] = re.findall(r"^entropy +(\d+)$", first.out, re.MULTILINE)

    assert command("run", path).out != first.out
    assert command("run", path, "--entropy", entropy).out == first.out


def test_until_stops_the_run(command, model_file):
    outcome = command("run", model_file(SHOP), "--until", "1e-9")

    assert outcome.status == 0
    assert "No responses: stopped at 1e-09, before the main program had ended." in outcome.out.splitlines()


def test_until_is_the_end_of_a_model_that_has_none(command, model_file):
    outcome = command("run", model_file("@ev.model\ndef tank(sim):\n    return {}\n"), "--until", "2")

    assert outcome.status == 0
    assert re.search(r"^end time +2$", outcome.out, re.MULTILINE)


def test_verbose_tells_with_what(command, model_file):
    path = model_file(SHOP)
    outcome = command("run", path, "--verbose", "--entropy", "1")

    *_, versions, rooms, tolerances = told(outcome)
    assert told(outcome)[:3] == [f"loading {path}", "running shop(customers=2, gap=1.0)", "shop ran for # s"]
    assert versions.startswith(f"eventide {__version__}, Python {sys.version.split()[0]}, numpy ")
    assert rooms.startswith("rooms loaded: ")
    assert tolerances == "rel_error 1e-06, abs_error 1e-09, dt_min 0.0, dt_max inf"
    assert outcome.out == command("run", path, "--entropy", "1").out


def test_a_letter_that_the_output_cannot_show_is_no_reason_to_fail(command, model_file, monkeypatch):
    monkeypatch.setattr(type(sys.stdout), "encoding", "ascii")  # as on a terminal of another land
    outcome = command("run", model_file('@ev.model(until=1)\ndef m(sim):\n    return {"°F": 2}\n'))

    assert outcome.status == 0
    assert re.search(r"^response +value\n-+\n\?F +2$", outcome.out, re.MULTILINE)


# --- the file


def test_a_model_file_is_a_module_like_others(command, model_file):
    model_file("OFFSET = 4.0\n", "plant_data.py")
    source = """
    from dataclasses import dataclass
    import random
    from plant_data import OFFSET

    @dataclass
    class Plan:
        hours: float = OFFSET

    @ev.model
    def plant(sim, *, doors: int = 2):
        yield ev.hold(Plan().hours)
        return {"named": hasattr(random, "shuffle"), "hours": sim.time}

    wide = plant(doors=9)
    """
    names, path = dict(sys.modules), list(sys.path)
    outcome = command("run", model_file(source, "plant_alone.py", head="from __future__ import annotations\n"))

    assert outcome.status == 0, outcome.err
    assert outcome.out.startswith("plant(doors=2)\n")
    assert re.search(r"^hours +4$", outcome.out, re.MULTILINE)
    assert {name for name in sys.modules if name not in names and name.startswith("plant")} == {"plant_data"}
    assert sys.path == path


def test_a_file_may_have_the_name_of_a_module(command, model_file):
    import json

    source = SHOP + "\n    import json\n    assert hasattr(json, 'loads')\n"
    outcome = command("run", model_file(source, "json.py"), "--entropy", "1")

    assert (outcome.status, outcome.err.splitlines()[1:]) == (0, [])
    assert sys.modules["json"] is json


# --- files that are written


def test_recordings_go_to_a_table_each(command, model_file, tmp_path):
    source = """
    @ev.model(until=1.0)
    def tank(sim):
        for name in ("first", "two/ends", "two ends", "two/ends"):
            sim.record(every=1.0, name=name, clock=lambda: sim.time)

    @tank.picture
    def nothing(run, figure): ...
    """
    outcome = command("run", model_file(source), "--out", "tank.csv", "--plot", "tank.svg")

    assert outcome.status == 0
    assert told(outcome)[1:] == [
        "first written to tank.csv",
        "two/ends written to tank-two_ends.csv",
        "two ends written to tank-two_ends-2.csv",
        "two/ends written to tank-two_ends-3.csv",
        "picture written to tank.svg",
    ]
    written = [line.split(" ")[-1] for line in outcome.err.splitlines()[1:]]
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == sorted(written)
    assert (tmp_path / "here" / "tank.csv").read_text().splitlines()[1] == '"time","side","clock"'


def test_a_table_of_nothing_is_refused_after_the_results(command, model_file):
    outcome = command("run", model_file(SHOP), "--out", "shop.csv")

    assert outcome.status == 2
    assert outcome.out.startswith("shop(")
    assert told(outcome)[1:] == ["eventide: shop.csv was not written: shop records nothing, as sim.record(...) would"]


def test_a_picture_of_nothing_is_refused_after_the_results(command, model_file):
    outcome = command("run", model_file(SHOP), "--plot", "shop.png")

    assert outcome.status == 2
    assert outcome.out.startswith("shop(")
    assert told(outcome)[1:] == ["eventide: shop.png was not drawn: shop records nothing and has no @shop.picture"]


def test_a_picture_is_drawn_by_the_model(command, model_file, tmp_path):
    source = """
    @ev.model(until=1.0)
    def tank(sim, *, size: int = 1): ...

    @tank.picture
    def draw(run, figure):
        figure.text(0.5, 0.5, f"size is {run.parameters['size']}", gid=f"size-{run.parameters['size']}")
    """
    outcome = command("run", model_file(source), "--set", "size=3", "--plot", "drawn.svg")

    assert (outcome.status, told(outcome)[1:]) == (0, ["picture written to drawn.svg"])
    assert 'id="size-3"' in (tmp_path / "here" / "drawn.svg").read_text()


@pytest.mark.slow
def test_a_picture_is_drawn_where_it_is_asked_for_and_shows_the_recordings(command, model_file, tmp_path):
    outcome = command("run", model_file(RECORDED))

    assert (outcome.status, told(outcome)[1:], list((tmp_path / "here").iterdir())) == (0, [], [])
    command("run", tmp_path / "plant.py", "--plot", "plant.png")
    assert (tmp_path / "here" / "plant.png").read_bytes()[:4] == b"\x89PNG"
    command("run", tmp_path / "plant.py", "--plot", "tank.svg")
    assert "<!-- height -->" in (tmp_path / "here" / "tank.svg").read_text()


def test_a_picture_that_fails_leaves_the_results_and_the_old_picture(command, model_file, tmp_path):
    source = RECORDED + "\n    @tank.picture\n    def draw(run, figure):\n        raise KeyError('colour')\n"
    old = tmp_path / "here" / "plant.png"
    old.write_text("old")
    outcome = command("run", model_file(source), "--plot", "plant.png")

    assert outcome.status == 1
    assert outcome.out.startswith("tank(size=1.0)\n")
    assert "KeyError: 'colour'" in told(outcome)
    assert old.read_text() == "old"


@pytest.mark.slow
def test_a_disk_that_does_not_take_the_file(command, model_file, monkeypatch):
    def full(recording, path, **_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("eventide.observe.dumps.save", full)
    outcome = command("run", model_file(RECORDED), "--out", "tank.csv", "--plot", "plant.png")

    assert outcome.status == 2
    assert told(outcome)[1:] == [
        "picture written to plant.png",
        "eventide: tank.csv cannot be written: No space left on device",
    ]


# --- models that fail

BROKEN = """
    def load():
        raise LookupError("no ingot")

    def feeder(sim):
        yield ev.hold(1.5)
        try:
            load()
        except LookupError as error:
            raise ValueError("empty") from error

    @ev.model
    def pit(sim, *, pits: int = 10):
        sim.process(feeder(sim))
        yield ev.hold(3.0)
"""


def test_a_failing_model_shows_the_users_own_lines(command, model_file):
    path = model_file(BROKEN)
    outcome = command("run", path, "--entropy", "1")

    assert (outcome.status, outcome.out) == (1, "")
    marks = re.compile(r"\s*[~^]+")  # under parts of a line, from Python 3.13 on also where a call stands alone
    assert [line for line in outcome.err.splitlines() if not marks.fullmatch(line)] == [
        "Traceback (most recent call last):",
        f'  File "{path}", line 10, in feeder',
        "    load()",
        f'  File "{path}", line 5, in load',
        '    raise LookupError("no ingot")',
        "LookupError: no ingot",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        "Traceback (most recent call last):",
        f'  File "{path}", line 12, in feeder',
        '    raise ValueError("empty") from error',
        "ValueError: empty",
        f"feeder 1 was active at time 1.5, at {path}:12",
        "in a run of pit(pits=10) with entropy 1, at time 1.5",
        "The frames of eventide are left out: --verbose shows them.",
    ]


@pytest.mark.parametrize(
    "raising",
    ["raise ValueError('empty') from error", "raise ValueError('empty')", "raise ExceptionGroup('all', [error])"],
    ids=["cause", "context", "group"],
)
def test_the_frames_of_eventide_are_left_out_of_errors_behind_the_error(command, model_file, raising):
    source = f"""
    @ev.model
    def pit(sim):
        try:
            yield ev.hold("long")
        except TypeError as error:
            {raising}
    """
    path = model_file(source)
    outcome = command("run", path)

    assert outcome.status == 1
    assert "TypeError: hold takes a number of time units, and got 'long'" in outcome.err
    places = re.findall(r'File "(.*)", line (\d+)', outcome.err)
    assert sorted(set(places)) == [(str(path), "7"), (str(path), "9")]


def test_constructors_that_eventide_wrote_are_left_out(command, model_file):
    source = """
    class Ingot(ev.Component):
        heat: float = 0.0

        def prelude(self):
            raise ValueError(self.heat)

    @ev.model
    def pit(sim):
        Ingot(sim)
        yield 1.0
    """
    path = model_file(source)
    outcome = command("run", path)

    assert outcome.status == 1
    assert re.findall(r'File "(.*)", line (\d+)', outcome.err) == [(str(path), "12"), (str(path), "8")]


def test_verbose_shows_every_frame(command, model_file):
    outcome = command("run", model_file(BROKEN), "--verbose")

    assert outcome.status == 1
    names = ("telling.py", "models.py", "world.py", "_take_events")
    assert [name for name in names if name in outcome.err] == list(names)
    assert "EVENTIDE_WHOLE_TRACEBACKS" not in os.environ
    assert "are left out" not in outcome.err


def test_a_warning_is_a_line(command, model_file):
    path = model_file("""
        class Tank(ev.Continuous):
            level: ev.State = ev.state(1.0)

            def equations(self):
                self.rate.level = 1.0


        @ev.model(until=3.0)
        def rests(sim):
            tank = Tank(sim, name="tank")
            return {"level": lambda: tank.level}
        """)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        outcome = command("run", path)

    assert outcome.status == 0
    assert outcome.err.splitlines()[0] == (
        "eventide: IdleWarning: the run has ended at time 3.0: tank was never started (call start(), as in "
        "Tank(sim).start())"
    )


def test_a_file_that_fails_when_it_is_loaded(command, model_file):
    path = model_file("1 / 0\n")
    outcome = command("run", path)

    assert outcome.status == 1
    assert outcome.err.splitlines()[:2] == [
        "Traceback (most recent call last):",
        f'  File "{path}", line 3, in <module>',
    ]


def test_a_file_that_is_no_python(command, model_file):
    path = model_file("def (\n")
    outcome = command("run", path)

    assert outcome.status == 1
    assert [line for line in outcome.err.splitlines() if "File" in line] == [f'  File "{path}", line 3']


def test_a_wrong_parameter_inside_a_model_is_a_failure_of_the_model(command, model_file):
    outcome = command("run", model_file("@ev.model\ndef pit(sim):\n    pit(size=3)\n    yield 1.0\n"))

    assert outcome.status == 1
    assert "eventide.errors.ParameterError: pit has no parameter size; it has none" in outcome.err.splitlines()


@pytest.mark.parametrize(
    "source",
    [
        "@ev.model\ndef stopped(sim):\n    yield 1.0\n    raise KeyboardInterrupt\n",
        "raise KeyboardInterrupt\n",
    ],
    ids=["in the run", "in the file"],
)
def test_ctrl_c_is_quiet(command, model_file, source):
    path = model_file(source)

    assert command("run", path) == (130, "", "")
    assert Job(file=path).status() == 130


STOPPED = """
import os

class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0)

    def equations(self):
        self.rate.level = -1.0

@ev.model
def tank(sim):
    one = Tank(sim).start()
    sim.record(one, every=0.25)
    yield 0.5
    {then}
    return {{"level": one.level}}
"""


@pytest.mark.slow
def test_what_was_recorded_before_ctrl_c_is_written(command, model_file):
    path = model_file(STOPPED.format(then="raise KeyboardInterrupt"))

    outcome = command("run", path, "--out", "levels.csv", "--plot", "levels.png")

    assert (outcome.status, outcome.out, outcome.err.splitlines()[0]) == (130, "", "stopped at time 0.5")
    rows = [line.split(",")[0] for line in Path("levels.csv").read_text().splitlines()[1:]]
    assert rows == ['"time"', "0.0", "0.25", "0.5"]
    assert Path("levels.png").stat().st_size > 1000


@pytest.mark.slow
def test_what_was_recorded_before_an_error_is_written(command, model_file):
    path = model_file(STOPPED.format(then="raise LookupError('no water')"))

    outcome = command("run", path, "--out", "levels.csv")

    assert (outcome.status, outcome.out, outcome.err.splitlines()[0]) == (1, "", "stopped at time 0.5")
    assert "LookupError: no water" in outcome.err.splitlines()
    rows = [line.split(",")[0] for line in Path("levels.csv").read_text().splitlines()[1:]]
    assert rows == ['"time"', "0.0", "0.25", "0.5"]
    # The error is told also if the rows cannot be written.
    Path("levels.csv").unlink()
    path = model_file(STOPPED.format(then="os.mkdir('levels.csv'); raise LookupError('no water')"), "again.py")
    outcome = command("run", path, "--out", "levels.csv")
    assert (outcome.status, "LookupError: no water" in outcome.err.splitlines()) == (1, True)
    assert "eventide: levels.csv cannot be written: Is a directory" in outcome.err.splitlines()


@pytest.mark.slow
def test_what_was_recorded_before_the_program_is_to_end_is_written(command, model_file):
    before = signal.getsignal(signal.SIGTERM)
    path = model_file(STOPPED.format(then="import signal; os.kill(os.getpid(), signal.SIGTERM); yield 1.0"))

    with pytest.raises(SystemExit, match="143"):
        command("run", path, "--out", "levels.csv")

    rows = [line.split(",")[0] for line in Path("levels.csv").read_text().splitlines()[1:]]
    assert rows == ['"time"', "0.0", "0.25", "0.5"]
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.slow
def test_what_is_no_file_takes_one_table(command, model_file):
    twice = STOPPED.replace("sim.record(one, every=0.25)", "sim.record(one, every=0.25); sim.record(one, name='again')")

    outcome = command("run", model_file(twice.format(then="pass")), "--out", "/dev/null")

    assert outcome.status == 2
    assert outcome.err.splitlines()[-1] == (
        "eventide: /dev/null is no file, and takes one table only; there are 2: recording 1, again"
    )
    assert command("run", model_file(STOPPED.format(then="pass")), "--out", "/dev/null").status == 0


@pytest.mark.slow
def test_an_error_before_anything_was_recorded_leaves_the_file_as_it_is(command, model_file):
    Path("levels.csv").write_text("old")
    path = model_file(STOPPED.replace("yield 0.5", "1 / 0\n    yield 0.5").format(then="pass"))

    assert command("run", path, "--out", "levels.csv").status == 1
    assert Path("levels.csv").read_text() == "old"


def test_without_standard_error_nothing_is_told_there(command, model_file, monkeypatch):
    path = model_file(SHOP)
    whole = command("run", path, "--entropy", "7")
    monkeypatch.setattr("sys.stderr", None)

    assert command("run", path, "--entropy", "7").out == whole.out
    assert command("run", model_file(BROKEN, "broken.py")).status == 1


@pytest.mark.slow
def test_what_cannot_be_written_is_printed_nevertheless(command, model_file):
    path = model_file(STOPPED.format(then='os.mkdir("levels.csv")'))

    outcome = command("run", path, "--out", "levels.csv", "--plot", "levels.png")

    assert (outcome.status, "level" in outcome.out, Path("levels.png").is_file()) == (2, True, True)
    assert outcome.err.splitlines()[-1] == "eventide: levels.csv cannot be written: Is a directory"


@pytest.mark.slow
def test_files_are_written_though_nobody_reads_what_is_printed(command, model_file, monkeypatch):
    def refuse(text):
        raise BrokenPipeError

    path = model_file(STOPPED.format(then="pass"))

    with monkeypatch.context() as patched:
        patched.setattr("eventide.cli.job.say", refuse)
        patched.setattr("eventide.cli.telling.close_output", lambda: None)
        assert command("run", path, "--out", "levels.csv", "--plot", "levels.png").status == 1
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", None)
        assert command("run", path, "--out", "again.csv", "--plot", "again.png").status == 0
    found = sorted(file.name for file in Path().iterdir())
    assert found == ["again.csv", "again.png", "levels.csv", "levels.png"]


# --- the command itself


def test_version(command):
    assert command("--version") == (0, f"eventide {__version__}\n", "")


@pytest.mark.slow
def test_nothing_shows_the_help(command):
    outcome = command()

    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == command("--help").out
    assert "Example: eventide run examples/soaking_pit.py" in outcome.out


def test_help_names_every_option_and_an_example(command):
    outcome = command("run", "--help")

    assert (outcome.status, outcome.err) == (0, "")
    options = ["--until", "--entropy", "--set", "--out", "--plot", "--watch", "--verbose", "--help"]
    assert re.findall(r"^│ (--\w+)", outcome.out, re.MULTILINE) == options
    assert "Example: eventide run examples/soaking_pit.py --set arrivals=regular" in outcome.out


# --- in processes of their own


def in_a_process(*arguments, folder, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "eventide.cli", *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        timeout=300,
    )


@pytest.fixture
def bare_environment():
    return {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "HOME", "SYSTEMROOT")}


@pytest.mark.slow
def test_equal_runs_print_the_same_in_any_process(model_file, tmp_path, bare_environment):
    source = """
    @ev.model
    def shop(sim, *, gap: float = 1.0):
        lengths = {name: ev.Tally(unit="h") for name in ("inside", "outside", "queue", "way home")}
        for name in lengths:
            yield ev.hold(sim.stream(name).exponential(gap))
            lengths[name].add(sim.time)
        return {**lengths, "closed at": sim.time, "first": lengths["inside"].mean, "shops": 1}
    """
    path = model_file(source)
    runs = [
        in_a_process("run", path, "--entropy", "5", folder=tmp_path, PYTHONHASHSEED=seed, **bare_environment)
        for seed in ("1", "2")
    ]

    assert [run.returncode for run in runs] == [0, 0]
    assert runs[0].stdout == runs[1].stdout
    assert b"closed at" in runs[0].stdout


def test_nothing_heavy_is_loaded_before_it_is_needed():
    code = "import sys, eventide.cli; print([m for m in ('numpy', 'pandas', 'matplotlib', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_failure_to_tell(model_file, tmp_path, bare_environment):
    path = model_file(SHOP)
    command = f"{sys.executable} -m eventide.cli run {path} | true"
    done = subprocess.run(command, shell=True, env=bare_environment, capture_output=True, check=False, timeout=300)

    assert b"Error" not in done.stderr


@pytest.mark.row("R-190")
def test_a_numbered_error_is_told_in_the_three_lines_of_the_manual(command, model_file):
    file = model_file("""
        @ev.model
        def stuck(sim):
            yield ev.hold(2.5)
            yield ev.passivate()
    """)
    outcome = command("run", file)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.splitlines()[:3] == [
        "***COMBINEDSIMULATION",
        "***ERROR 3: THERE ARE NO DISCRETE EVENTS SCHEDULED",
        "***ENCOUNTERED AT TIME 2.5",
    ]
    assert "dt = 0.0, dt_min = 0.0, dt_max = inf" in outcome.err


def test_the_name_of_a_table_tells_its_format_and_any_other_name_means_csv(command, model_file):
    path = model_file(RECORDED)
    for name in ("tank.parquet", "tank.table"):
        assert command("run", path, "--out", name).status == 0
    assert ev.load("tank.parquet").attrs["name"] == "height"
    assert Path("tank.table").read_text().startswith("# eventide table: ")
