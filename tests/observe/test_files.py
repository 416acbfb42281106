"""Recordings as files: every number comes back, and a file is whole or not there."""

import csv
import os
import stat
from threading import Thread

import pandas as pd
import pytest

import eventide as ev
from eventide.observe import whole_file


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0, unit="m")
    bounces: ev.Computed = ev.computed()

    def equations(self):
        self.rate.height = -0.1

    @ev.when(lambda self: self.height <= 9.95)
    def bounce(self):
        self.height = 10.0


@pytest.fixture
def sim():
    return ev.Simulation()


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        assert next(file).startswith("# eventide table: ")
        return list(csv.reader(file))


def test_a_recording_is_a_table_with_units_in_its_header(sim, tmp_path):
    ball = Ball(sim, name="ball, red").start()
    trace = sim.record(ball, third=lambda: 1.0 / 3.0, every=0.3)
    sim.run(until=0.7)
    path = tmp_path / "trace.csv"

    ev.save(trace, path)

    head, *rows = read(path)
    assert head == ["time", "side", "ball, red.height [m]", "ball, red.bounces", "third"]
    assert [row[:2] for row in rows] == [
        ["0.0", "after"],
        ["0.3", ""],
        [repr(trace.times[2].item()), "before"],
        [repr(trace.times[3].item()), "after"],
        ["0.6", ""],
        ["0.7", "before"],
    ]
    assert [float(row[2]) for row in rows] == trace["ball, red.height"].tolist()
    assert {row[4] for row in rows} == {"0.3333333333333333"}
    assert path.read_bytes().count(b"\r") == 0


def test_a_recording_of_a_class_names_the_component_of_each_row(sim, tmp_path):
    Ball(sim, name="red").start()
    Ball(sim, name="blue", height=10.02).start()
    trace = sim.record(Ball, every=0.2)
    sim.run(until=0.3)
    path = tmp_path / "balls.csv"

    ev.save(trace, str(path))

    assert read(path) == [
        ["time", "side", "component", "height [m]", "bounces"],
        ["0.0", "after", "red", "10.0", "0.0"],
        ["0.0", "after", "blue", "10.02", "0.0"],
        ["0.2", "", "red", repr(trace["height"][2].item()), "0.0"],
        ["0.2", "", "blue", repr(trace["height"][3].item()), "0.0"],
        ["0.3", "before", "red", repr(trace["height"][4].item()), "0.0"],
        ["0.3", "before", "blue", repr(trace["height"][5].item()), "0.0"],
    ]


def test_a_whole_file_replaces_the_old_one_at_the_end_of_the_block(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")

    with whole_file(path) as unfinished:
        unfinished.write_text("new")
        assert (unfinished.parent, path.read_text()) == (tmp_path, "old")

    assert (list(tmp_path.iterdir()), path.read_text()) == ([path], "new")


def test_a_file_half_written_replaces_nothing_and_leaves_no_trace(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")

    with pytest.raises(ZeroDivisionError), whole_file(path) as unfinished:  # noqa: PT012  # the block is the subject
        unfinished.write_text("ne")
        raise ZeroDivisionError

    assert (list(tmp_path.iterdir()), path.read_text()) == ([path], "old")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "runs" / "table.csv"

    with pytest.raises(FileNotFoundError, match=r"table.csv cannot be written: there is no folder .*runs"):
        ev.save(ev.Simulation().record(zero=lambda: 0.0), path)


# --- what was there before


@pytest.mark.skipif(os.name != "posix", reason="modes, links and pipes of Unix")
def test_a_file_keeps_its_mode_a_link_its_place_and_a_pipe_is_written_through(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.5]})
    private, target, link, loose, pipe = (
        tmp_path / f"{name}.csv" for name in ("private", "to", "link", "loose", "pipe")
    )
    private.touch()
    private.chmod(0o600)
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target.name)
    loose.symlink_to("new.csv")
    os.mkfifo(pipe)
    read = []
    reader = Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    for path in (private, link, loose, pipe):
        ev.save(frame, path)
    reader.join()
    assert [oct(path.stat().st_mode & 0o777) for path in (private, target)] == ["0o600", "0o640"]
    assert [str(path.readlink()) for path in (link, loose)] == ["to.csv", "new.csv"]
    whole = private.read_text()
    assert [target.read_text(), (tmp_path / "new.csv").read_text(), *read] == [whole] * 3
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["private.csv", "to.csv", "link.csv", "loose.csv", "pipe.csv", "new.csv"]
    )


@pytest.mark.skipif(os.name != "posix", reason="modes of Unix")
def test_a_private_file_is_private_while_it_is_written(tmp_path):
    path = tmp_path / "private.csv"
    path.touch()
    path.chmod(0o600)
    with whole_file(path) as unfinished:
        unfinished.write_text("secret")
        assert oct(unfinished.stat().st_mode & 0o777) == "0o600"


@pytest.mark.skipif(os.name != "posix", reason="files are held by flock")
def test_what_a_killed_program_has_left_is_removed_and_what_is_being_written_stays(tmp_path):
    left, other = tmp_path / ".a[1].csv.0123abcd.part", tmp_path / ".b.csv.0123abcd.part"
    for path in (left, other):
        path.write_text("half")
    with whole_file(tmp_path / "a[1].csv") as first:
        first.write_text("first")
        with whole_file(tmp_path / "a[1].csv") as second:
            second.write_text("second")
            assert not left.exists()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a[1].csv": "first", other.name: "half"}
