"""A watch in a notebook: one output that changes in its place, in a real kernel."""

import sys
from types import SimpleNamespace

import pytest

import eventide as ev
from eventide.view import notebook

CODE = """
import eventide as ev

class Swing(ev.Continuous):
    angle: ev.State = ev.state(1.0, unit="rad")
    speed: ev.State = ev.state(0.0, unit="rad/s")

    def equations(self):
        self.rate.angle = self.speed
        self.rate.speed = -self.angle

sim = ev.Simulation(time_unit="s")
swing = Swing(sim, name="swing").start()
watch = sim.watch(swing)
sim.run(until=5.0)
sim.run(until=20.0)
"""


@pytest.mark.slow
@pytest.mark.row("R-277")
def test_a_kernel_shows_one_output_and_changes_it(monkeypatch, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="no notebook: install the extra dev")
    nbformat = pytest.importorskip("nbformat", reason="no notebook: install the extra dev")
    pytest.importorskip("ipykernel", reason="no notebook: install the extra dev")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(CODE), nbformat.v4.new_code_cell("watch"), nbformat.v4.new_code_cell("1 / 1")]
    )
    messages = []

    class Client(nbclient.NotebookClient):
        def process_message(self, message, cell, place):
            if message["msg_type"].endswith("display_data"):
                messages.append(message)
            return super().process_message(message, cell, place)

    Client(book, timeout=600, kernel_name="python3").execute()

    kinds = [message["msg_type"] for message in messages]
    assert kinds[0] == "display_data"
    assert kinds[1:] == ["update_display_data"] * (len(kinds) - 1)
    assert len(kinds) >= 3  # at least where each run came to rest
    assert len({message["content"]["transient"]["display_id"] for message in messages}) == 1
    assert "not begun" in messages[0]["content"]["data"]["text/html"]
    # A first start says besides that it compiles.
    [shown] = [output for output in book.cells[0].outputs if output.output_type == "display_data"]
    html = shown["data"]["text/html"]
    assert "t = 20 s (100 %)" in html
    assert "swing.angle [rad]" in html
    assert book.cells[1].outputs[0]["data"]["text/html"] == html  # the watch shows itself as well


class Displayed:
    """What IPython would show."""

    def __init__(self):
        self.shown = []

    def display(self, html, display_id):
        self.shown.append(html)
        return SimpleNamespace(update=self.shown.append)


@pytest.fixture
def shown(monkeypatch):
    """What is shown, and seconds that pass when they are told to."""
    displayed = Displayed()
    displayed.HTML = str
    monkeypatch.setattr(notebook, "load", lambda *_: displayed)
    displayed.now = 100.0
    monkeypatch.setattr(notebook, "perf_counter", lambda: displayed.now)
    shell = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=None))
    monkeypatch.setitem(sys.modules, "IPython", shell)
    return displayed


def test_pictures_are_as_rare_as_drawing_is_slow(shown, monkeypatch):
    draw = notebook.curves_as_html

    def slow(snapshot):
        shown.now += 0.1
        return draw(snapshot)

    sim = ev.Simulation()
    watch = sim.watch(x=lambda: sim.time)
    monkeypatch.setattr(notebook, "curves_as_html", slow)
    cell, looks = watch._screen, []
    for _ in range(100):
        before = len(shown.shown)
        cell.notice(is_at_rest=False)
        looks.append(len(shown.shown) - before)
        shown.now += 0.1
    assert sum(looks) == 5  # of 10 seconds half a second
    cell.notice(is_at_rest=True)
    assert len(shown.shown) == 1 + 5 + 1


def test_in_a_kernel_it_is_the_cell_and_no_page(shown, capfd):
    sim = ev.Simulation()
    with sim.watch(x=lambda: sim.time) as watch:
        sim.run(until=1.0)
    assert watch.address == ""
    assert "ended" in shown.shown[-1]
    assert capfd.readouterr() == ("", "")


def test_a_terminal_is_no_notebook(shown, monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=object))
    sim = ev.Simulation()
    with pytest.raises(ev.ModelError, match=r"this is no notebook"):
        sim.watch(x=lambda: 1.0, where="notebook")
    with sim.watch(x=lambda: 1.0) as watch:
        assert watch.address.startswith("http://127.0.0.1:")
