"""Looking at recordings while the run goes on, and what recordings load."""

import subprocess
import sys

import pytest

import eventide as ev


class Swing(ev.Continuous):
    angle: ev.State = ev.state(1.0)
    speed: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.angle = self.speed
        self.rate.speed = -self.angle


@pytest.mark.row("R-277")
def test_a_recording_is_seen_as_text_and_picture_while_the_run_goes_on_and_changes_nothing():
    def run(*, looks):
        sim = ev.Simulation()
        swing = Swing(sim, name="swing").start()
        trace, seen = sim.record(swing, every=0.25), []

        def story():
            while sim.time < 2.0:
                yield ev.hold(0.6)
                if looks:
                    text, axes = trace.to_pandas().to_string(), trace.plot()
                    seen.append((len(text.splitlines()) - 2, len(axes.lines[0].get_xdata())))

        sim.process(story())
        sim.run(until=3.0)
        return (swing.angle, sim.monitor.steps, trace.times.tolist(), trace["swing.angle"].tolist()), seen

    watched, seen = run(looks=True)

    # At 0, then each quarter, and the present instant, which may become the first side of an event.
    assert seen == [(n, n) for n in (4, 6, 9, 11)]
    assert watched == run(looks=False)[0]


def test_rows_that_leave_and_rows_that_stay_make_no_difference_to_the_run(tmp_path):
    def run(*, streams):
        sim = ev.Simulation(rng=2)
        swing = Swing(sim, name="swing").start()
        trace = sim.record(swing, every=0.01)
        if streams:
            with trace.stream_to(tmp_path / "swing.parquet", rows=50):
                sim.run(until=10.0)
        else:
            sim.run(until=10.0)
        return swing.angle, swing.speed, sim.monitor.steps, sim.monitor.refused

    assert run(streams=True) == run(streams=False)


@pytest.mark.slow
def test_recording_loads_no_library_of_tables_or_pictures():
    program = """
import sys
import eventide as ev
sim = ev.Simulation()
trace = sim.record(x=lambda: sim.time, every=1.0)
sim.run(until=3.0)
assert len(trace) == 4
heavy = {"pandas", "pyarrow", "xarray", "polars", "sqlalchemy", "matplotlib", "rich"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "[]"
