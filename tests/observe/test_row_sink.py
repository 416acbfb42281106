"""Rows that leave a recording while the run goes on."""

import pandas as pd
import pytest

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0, unit="m")

    def equations(self):
        self.rate.level = 1.0

    @ev.when(lambda self: self.level >= 2.5)
    def pour(self):
        self.level = 0.0


@pytest.fixture
def pair():
    """Two equal models: one that is recorded as ever, one to let rows go from."""
    traces = []
    for _ in range(2):
        sim = ev.Simulation()
        traces.append(sim.record(Tank(sim, name="tank").start(), every=1.0, name="pouring"))
    return traces


def same(parts, whole):
    """Whether parts, one after the other, are the whole, attributes and all."""
    pd.testing.assert_frame_equal(pd.concat(parts), whole.to_pandas(sides=True))
    assert all(part.attrs == whole.to_pandas().attrs for part in parts)
    return True


def run(trace, *ends):
    for end in ends:
        trace.sim.run(until=end)


@pytest.mark.row("R-273")
def test_a_function_receives_the_rows_some_at_a_time_and_the_recording_stays_small(pair):
    whole, trace = pair
    run(whole, 100.0)
    parts, sizes = [], []

    with trace.drain(lambda rows: (parts.append(rows), sizes.append(len(trace))), rows=10) as outlet:
        run(trace, 100.0)

    assert len(whole) > 140  # 100 periods, and two rows for each of 39 bounces, which may fall on the grid
    assert same(parts, whole)
    assert max(map(len, parts)) <= 12
    assert max(sizes) <= 12
    assert (outlet.count, len(trace)) == (len(whole), 0)


@pytest.mark.row("R-273")
def test_a_run_without_end_hands_its_rows_on_until_somebody_has_enough(pair):
    _, trace = pair
    parts, sizes = [], []

    class Enough(Exception):
        """It is no error."""

    def receive(rows):
        parts.append(rows)
        sizes.append(len(trace))
        if rows.index[-1] >= 200.0:
            raise Enough

    def alive():
        while True:
            yield ev.hold(1000.0)

    trace.sim.process(alive())
    with pytest.raises(Enough), trace.drain(receive, rows=10):
        trace.sim.run()

    rows = pd.concat(parts)
    assert 200.0 <= trace.sim.time < 210.0
    assert max(sizes) <= 12
    bounces, end = [2.5 * k for k in range(1, 90)], round(rows.index[-1], 9)
    times = sorted({*map(float, range(int(end) + 1)), *(time for time in bounces if time <= end)})
    assert rows.index.to_series().round(9).unique().tolist() == times


@pytest.mark.row("R-273")
def test_a_run_with_an_end_stands_there(pair):
    _, trace = pair
    run(trace, 7.25)
    assert (trace.sim.time, trace.times[-1]) == (7.25, 7.25)


def test_rows_can_be_taken_between_runs(pair):
    whole, trace = pair
    run(whole, 5.0, 9.0)
    run(trace, 5.0)
    parts = [trace.take()]
    assert len(trace) == 0
    run(trace, 9.0)
    parts.append(trace.take())

    assert same(parts, whole)
    assert trace.take().empty


def test_on_the_grid_alone_a_taken_instant_is_not_recorded_twice():
    sim = ev.Simulation()
    trace = sim.record(Tank(sim, name="tank").start(), every=1.0, events=False)
    run(trace, 1.0)
    parts = [trace.take()]
    run(trace, 2.0)
    parts.append(trace.take())

    rows = pd.concat(parts)
    assert (rows.index.tolist(), rows["tank.level"].round(9).tolist()) == ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])


@pytest.mark.parametrize("name", ["pouring.parquet", "pouring.csv", "pouring.db"])
def test_rows_are_streamed_to_a_file_that_is_the_dump_of_the_whole(pair, tmp_path, name):
    whole, trace = pair
    run(whole, 30.0)
    path = tmp_path / name

    with trace.stream_to(path, rows=7) as outlet:
        run(trace, 20.0)
        if not name.endswith(".db"):
            assert not path.exists()
        run(trace, 30.0)

    run(whole, 30.0)
    found = ev.load(path)
    assert outlet.count == len(found)
    assert found.attrs == whole.to_pandas().attrs
    # A run that is split has both sides of the time at which it was.
    doubled = found[(found.index == 20.0) & (found["side"] != "")]
    assert list(doubled["side"]) == ["before", "after"]
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert len(found) == len(whole) + 1


def test_a_run_that_fails_leaves_the_rows_so_far_in_the_file(pair, tmp_path):
    _, trace = pair
    path = tmp_path / "pouring.parquet"

    def fail():
        yield ev.hold(10.5)
        raise KeyboardInterrupt

    trace.sim.process(fail())
    with pytest.raises(KeyboardInterrupt), trace.stream_to(path, rows=4):
        trace.sim.run(until=20.0)

    found = ev.load(path)
    assert found.index[-1] == 10.5
    assert found.index.is_monotonic_increasing
    assert [path.name for path in tmp_path.iterdir()] == ["pouring.parquet"]


def test_an_error_of_the_receiver_goes_up_and_the_rows_stay(pair):
    _, trace = pair
    error = OSError("no space left")

    def receive(rows):
        raise error

    with pytest.raises(OSError, match="no space left") as caught, trace.drain(receive, rows=3):
        trace.sim.run(until=10.0)

    assert caught.value is error
    assert any("raised where the rows of pouring go, with 3 of them" in note for note in error.__notes__)
    assert trace.times[:3].round(9).tolist() == [0.0, 1.0, 2.0]


def test_a_file_that_could_not_be_written_to_the_end_replaces_nothing(pair, tmp_path, monkeypatch):
    _, trace = pair
    path = tmp_path / "pouring.csv"
    path.write_text("old")
    outlet = trace.stream_to(path, rows=3)

    write, failures = outlet._receive, [OSError("no space left")]

    def full(rows):
        write(rows)  # half of them may have reached the disk
        if failures:
            raise failures.pop()

    monkeypatch.setattr(outlet, "_receive", full)
    with pytest.raises(OSError, match="no space left"), outlet:
        trace.sim.run(until=10.0)

    assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])
    assert len(trace) == 3


def test_closing_twice_does_nothing_and_the_recording_goes_on_in_memory(pair):
    _, trace = pair
    parts = []
    outlet = trace.drain(parts.append, rows=5)
    run(trace, 3.0)
    outlet.close()
    outlet.close()
    count = outlet.count
    run(trace, 4.0)

    assert (len(parts), outlet.count) == (2, count)
    assert trace.times.tolist() == [3.0, 4.0]
    # One that is closed has no say over one that came after it.
    following = trace.drain(parts.append, rows=2)
    outlet.close()
    assert (len(parts), len(trace)) == (2, 2)
    following.close()
    assert (len(parts), len(trace), following.count) == (3, 0, 2)


def test_what_nobody_closes_is_closed_with_the_program(pair, tmp_path, monkeypatch):
    whole, trace = pair
    hooks = []
    monkeypatch.setattr("atexit.register", hooks.append)
    trace.stream_to(tmp_path / "pouring.csv", rows=5)
    run(whole, 8.0)
    run(trace, 8.0)

    with monkeypatch.context() as patched:
        patched.setattr("os.getpid", lambda: 1)  # a process that was forked
        for hook in hooks:
            hook()
    assert not (tmp_path / "pouring.csv").exists()
    for hook in hooks:
        hook()
    assert same([ev.load(tmp_path / "pouring.csv")], whole)
    assert len(list(tmp_path.iterdir())) == 1


def test_what_was_closed_is_not_held_until_the_program_ends(pair, tmp_path, monkeypatch):
    _, trace = pair
    hooks = []
    monkeypatch.setattr("atexit.unregister", hooks.append)
    with trace.stream_to(tmp_path / "pouring.csv") as outlet:
        run(trace, 1.0)
    assert hooks == [outlet._close_with_program]


def test_a_file_that_was_not_written_to_the_end_replaces_nothing_when_it_is_closed(pair, tmp_path, monkeypatch):
    _, trace = pair
    (tmp_path / "pouring.csv").write_text("old")
    outlet = trace.stream_to(tmp_path / "pouring.csv", rows=3)

    def full(_):
        raise OSError("no space left")

    monkeypatch.setattr(outlet, "_receive", full)
    with pytest.raises(OSError, match="no space left"):
        run(trace, 10.0)
    outlet.close()

    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("pouring.csv", "old")]
    assert len(trace) == 3


def test_what_cannot_be_drained_is_refused(pair, tmp_path):
    _, trace = pair
    for rows in (0, 2.5, "10", float("inf")):
        with pytest.raises(ev.ModelError, match=rf"rows= is a whole number of at least 1, and is {rows!r}"):
            trace.drain(print, rows=rows)
    with pytest.raises(ev.ModelError, match=r"pouring: rows are passed to a function, and got 3"):
        trace.drain(3)
    with pytest.raises(ev.ModelError, match=r"such a file is written at once; take .csv or .parquet"):
        trace.stream_to(tmp_path / "a.json")
    trace.drain(print)
    with pytest.raises(
        ev.ModelError,
        match="the rows of pouring go elsewhere already: close what `stream_to` or `drain` returned first",
    ):
        trace.drain(print)
    with pytest.raises(ev.ModelError, match="the rows of pouring go elsewhere already"):
        trace.stream_to(tmp_path / "a.csv")
    with pytest.raises(ev.ModelError, match="the rows of pouring go elsewhere already"):
        trace.take()
    assert list(tmp_path.iterdir()) == []


def test_a_class_is_drained_with_the_names_of_its_components():
    sim = ev.Simulation()
    for name in ("red", "blue"):
        Tank(sim, name=name).start()
    trace = sim.record(Tank, every=1.0, events=False)
    parts = []
    with trace.drain(parts.append, rows=3):
        sim.run(until=2.0)

    assert [list(part["component"]) for part in parts] == [["red", "blue", "red", "blue"], ["red", "blue"]]
    assert trace.series() == {}


def test_two_recordings_do_not_stream_to_one_file(tmp_path):
    sim = ev.Simulation()
    first, second = (sim.record(x=lambda: 1.0, every=every, name=f"of {every}") for every in (0.5, 0.25))
    with first.stream_to(tmp_path / "rows.csv"):
        with pytest.raises(
            ev.ModelError, match=r"the rows of of 0.5 go to .*rows.csv already, and those of of 0.25 would"
        ):
            second.stream_to(tmp_path / "rows.csv")
        with second.stream_to(tmp_path / "others.csv"):
            sim.run(until=1.0)
    with second.stream_to(tmp_path / "rows.csv"):
        sim.run(until=2.0)
    assert [len(ev.load(tmp_path / name)) for name in ("rows.csv", "others.csv")] == [5, 5]
