"""Pictures where people look: in a notebook's cell, before `plt.show()`, a panel a unit, vectors as maps."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0, unit="m")
    heat: ev.State = ev.state(20.0, unit="degC")

    def equations(self) -> None:
        self.rate.level = -0.5 * self.level
        self.rate.heat = 1.0


class Rod(ev.Continuous):
    u: ev.StateVector = ev.state_vector(0.0, size=12, unit="degC")

    def equations(self) -> None:
        self.rate.u[:] = -self.u


@ev.model(until=2.0)
def draining(sim: ev.Simulation) -> None:
    sim.record(Tank(sim).start(), every=0.5)


def drawn(recording: Any) -> list[tuple[str, int, int]]:
    """Of each axes of a picture: the label, how many lines, how many maps."""
    figure = recording.plot().figure
    return [(axes.get_ylabel(), len(axes.lines), len(axes.collections)) for axes in figure.axes]


@pytest.mark.slow
def test_a_recording_has_a_panel_for_each_unit_and_a_map_for_a_long_vector() -> None:
    sim = ev.Simulation(time_unit="s", seed=1)
    tank, rod = Tank(sim).start(), Rod(sim, u=np.arange(12.0)).start()
    trace = sim.record(tank, rod, every=0.5)
    counted = sim.record(ev.Resource(sim, 1, name="desk"))
    sim.run(until=2.0)
    assert drawn(trace)[:3] == [("Tank 1.level [m]", 1, 0), ("Tank 1.heat [degC]", 1, 0), ("item", 0, 1)]
    assert trace.plot().figure.axes[3].get_ylabel() == "Rod 1.u [degC]"
    mesh = trace.plot().figure.axes[2].collections[0]
    assert np.array_equal(mesh.get_array()[:, 0], np.arange(12.0))
    assert drawn(counted) == [("in_use, queue", 2, 0)]
    assert trace.plot().figure.axes[2].get_xlabel() == "time [s]"


def test_axes_that_are_given_take_all() -> None:
    from eventide.view import new_figure

    sim = ev.Simulation(seed=1)
    trace = sim.record(Tank(sim).start(), every=0.5)
    sim.run(until=2.0)
    axes = new_figure().add_subplot()
    assert trace.plot(axes) is axes
    assert len(axes.lines) == 2


def test_a_run_draws_what_it_recorded() -> None:
    assert [axes.get_ylabel() for axes in draining.run().plot().figure.axes] == [
        "Tank 1.level [m]",
        "Tank 1.heat [degC]",
    ]

    @ev.model(until=1.0)
    def quiet(sim: ev.Simulation) -> None:
        Tank(sim).start()

    message = r"^quiet has recorded nothing to draw: let it call sim.record\(...\) before it runs$"
    with pytest.raises(ev.ModelError, match=message):
        quiet.run().plot()


PROGRAM = """
import sys
import matplotlib
matplotlib.use("agg")
{first}
import eventide as ev
class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0)
    def equations(self): self.rate.level = -self.level
sim = ev.Simulation()
trace = sim.record(Tank(sim).start())
trace.plot()
print("matplotlib.pyplot" in sys.modules and len(sys.modules["matplotlib.pyplot"].get_fignums()))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("first", "shown"), [("import matplotlib.pyplot", "1"), ("", "False")])
def test_a_program_with_pyplot_shows_it_and_one_without_does_not_load_it(first: str, shown: str) -> None:
    program = PROGRAM.format(first=first)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [shown]


@pytest.mark.slow
def test_a_cell_of_a_notebook_shows_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient", reason="no notebook: install the extra dev")
    nbformat = pytest.importorskip("nbformat", reason="no notebook: install the extra dev")
    monkeypatch.delenv("MPLBACKEND")
    text = (
        PROGRAM.format(first="").replace('import matplotlib\nmatplotlib.use("agg")\n', "").rpartition("trace.plot()")[0]
    )
    cells = [nbformat.v4.new_code_cell(source) for source in (text, "trace.plot();", "sim")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    outputs = [[sorted(output.data) for output in cell.outputs if "data" in output] for cell in notebook.cells]
    assert outputs == [[], [["image/png", "text/plain"]], [["text/html", "text/plain"]]]
