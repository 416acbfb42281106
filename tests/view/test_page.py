"""The page of a watch: what its server answers, and how it ends."""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
from urllib.parse import urlsplit

import pytest

import eventide as ev


class Swing(ev.Continuous):
    angle: ev.State = ev.state(1.0, unit="rad")
    speed: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.angle = self.speed
        self.rate.speed = -self.angle


@pytest.fixture
def watch():
    sim = ev.Simulation(time_unit="s")
    watch = sim.watch(Swing(sim, name="swing").start(), title="a swing", where="page")
    yield watch
    watch.close()


def get(watch, path, **heads):
    base = urlsplit(watch.address)
    port, path = base.port, base.path.rstrip("/") + path
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60.0)
    try:
        line.request("GET", path, headers=heads)
        answer = line.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        line.close()


def test_the_address_is_told_and_the_page_needs_nothing_else(watch, capsys):
    status, heads, text = get(watch, "/")
    assert status == 200
    assert "default-src 'none'" in heads["Content-Security-Policy"]
    assert "http" not in text.replace("http-equiv", "")
    sim = ev.Simulation()
    with sim.watch(x=lambda: 1.0) as other:
        assert capsys.readouterr().err == f"watch the run at {other.address}\n"


def test_it_answers_on_this_machine_only_and_by_its_own_name(watch):
    port, token = urlsplit(watch.address).port, watch._screen.token
    assert watch.address == f"http://127.0.0.1:{port}/{token}/"
    assert watch._screen._server.server_address[0] == "127.0.0.1"
    assert get(watch, "/curves", Host=f"evil.example:{port}")[0] == 403
    assert get(watch, "/curves", Host=f"localhost:{port}")[0] == 200
    assert get(watch, "/../etc/passwd")[0] == 404


@pytest.mark.parametrize("path", ["/", "/curves", "/wrong/", "/wrong/curves", "//curves", "/{part}/", "/%00/"])
def test_it_answers_nobody_who_does_not_know_its_whole_address(watch, path):
    page = watch._screen
    line = http.client.HTTPConnection("127.0.0.1", page._server.server_port, timeout=60.0)
    line.request("GET", path.format(part=page.token[:-1]))
    assert line.getresponse().status == 403
    line.close()
    other = ev.Simulation().watch(x=lambda: 1.0, where="page")
    assert other._screen.token != page.token
    other.close()


def test_a_picture_is_sent_once_and_again_when_there_is_something_new(watch):
    _, heads, text = get(watch, "/curves?width=500")
    assert "not begun" in text
    seen = heads["Revision"].replace(" ", "%20")
    assert get(watch, f"/curves?width=500&seen={seen}")[2] == ""
    watch.sim.run(until=1.0)
    _, heads, text = get(watch, f"/curves?width=500&seen={seen}")
    assert "swing.angle [rad]" in text
    assert 'width="500"' in text
    assert "100 %" in text
    assert int(heads["Pause"]) >= 250


def test_the_end_waits_for_those_who_look_and_then_nothing_answers(watch, monkeypatch):
    monkeypatch.setattr("eventide.view.page.PATIENCE", 60.0)
    monkeypatch.setattr(
        "eventide.view.page.PAUSE", 1e6
    )  # who has looked once is not forgotten, on a busy machine either
    watch.sim.run(until=1.0)
    get(watch, "/curves?viewer=me")
    closing = threading.Thread(target=watch.close, daemon=True)
    closing.start()
    while not watch._screen.is_ended:
        closing.join(0.001)
    _, heads, text = get(watch, "/curves?viewer=me")
    assert (heads["Ended"], "ended" in text) == ("1", True)
    closing.join(60.0)
    assert not closing.is_alive()
    with pytest.raises(ConnectionRefusedError):
        get(watch, "/")


def test_without_anybody_who_looks_the_end_does_not_wait(watch, monkeypatch):
    monkeypatch.setattr("eventide.view.page.PATIENCE", 1e9)
    watch.close()
    assert not watch._screen._thread.is_alive()


def test_a_browser_that_goes_away_does_not_hurt_the_run(watch, capfd):
    port = watch._screen._server.server_port
    for sent in (
        b"",
        b"GET /curves HTTP/1.1\r\n",
        b"nonsense\r\n\r\n",
        b"GET /curves HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ):
        line = socket.create_connection(("127.0.0.1", port))
        line.sendall(sent)
        # An end without goodbye, so that what is being sent meets a line that is reset.
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1, 0, 0, 0, 0, 0, 0, 0]))
        line.close()
    watch.sim.run(until=2.0)
    assert get(watch, "/curves")[0] == 200
    assert "Traceback" not in capfd.readouterr().err


def test_a_port_that_is_taken_is_an_error_and_leaves_no_watch(watch):
    port = watch._screen._server.server_port
    sim = ev.Simulation()
    with pytest.raises(OSError, match="use"):
        sim.watch(x=lambda: 1.0, where="page", port=port)
    assert not len(sim.monitor.observers)


@pytest.mark.parametrize("where", ["browser", "notebook"])
def test_a_place_where_nothing_can_be_shown_is_refused(where, monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", None)
    sim = ev.Simulation()
    if where == "browser":
        with pytest.raises(ev.ModelError, match=r'where=...\) takes "notebook" or "page", and got \'browser\''):
            sim.watch(x=lambda: 1.0, where=where)
    else:
        with pytest.raises(ev.MissingLibraryError, match=r"pip install 'eventide-sim\[notebook\]'") as caught:
            sim.watch(x=lambda: 1.0, where=where)
        assert 'where="page"' in str(caught.value)
    assert not len(sim.monitor.observers)


PROGRAM = """
import sys
import eventide as ev
sim = ev.Simulation()
watch = sim.watch(x=lambda: sim.time)
sim.run(until=3.0)
heavy = {"pandas", "matplotlib", "rich", "IPython", "scipy"}
print(sorted(heavy & set(sys.modules)))
"""


@pytest.mark.slow
def test_a_program_that_does_not_close_it_ends_all_the_same_and_loads_no_plotting_library():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=300.0, env={**os.environ}
    )
    assert json.loads(done.stdout.replace("'", '"')) == []
    assert done.stderr.startswith("watch the run at http://127.0.0.1:")
    assert done.stderr.count("\n") == 1
