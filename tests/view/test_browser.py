"""The page of a watch in a real browser, while a run goes on and after it."""

import subprocess
import sys
import threading
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import eventide as ev
from eventide.view.palette import DARK, LIGHT

pytestmark = pytest.mark.slow

WAIT = """
return new Promise((done, fail) => {
  const start = Date.now();
  const ask = () => {
    if (TEST) done(RESULT);
    else if (Date.now() - start > 20000) fail(new Error("it did not come: " + document.body.innerText));
    else setTimeout(ask, 20);
  };
  ask();
});
"""


def wait_for(browser, test, result="null"):
    """Wait until a test of the page is true; answers a result."""
    return browser.run(WAIT.replace("TEST", test).replace("RESULT", result))


class Swing(ev.Continuous):
    angle: ev.State = ev.state(1.0, unit="rad")
    speed: ev.State = ev.state(0.0, unit="rad/s")

    def equations(self):
        self.rate.angle = self.speed
        self.rate.speed = -self.angle


class Run:
    """A run whose story goes on when it is told to; it goes in a thread of its own, the test looks at the browser."""

    def __init__(self):
        self.sim = ev.Simulation(time_unit="s", rng=1)
        self.swing = Swing(self.sim, name="<b>swing</b>").start()
        self.line = ev.Queue(self.sim, name="line")
        self._may_go_on = threading.Semaphore(0)
        self.sim.process(self._story())

    def _story(self):
        while True:
            yield ev.hold(5.0)
            self._may_go_on.acquire()

    def go_on(self):
        self._may_go_on.release()

    def start(self, watch):
        def run():
            with watch:
                self.sim.run(until=20.0)

        self.thread = threading.Thread(target=run)
        self.thread.start()


SHOWN = "document.body.innerText"
LENGTH = (
    "document.querySelector('path.line[d]') && document.querySelectorAll('main path.line')[1].getAttribute('d').length"
)


@pytest.fixture
def run():
    run = Run()
    yield run
    for _ in range(5):
        run.go_on()
    run.thread.join(60.0)
    assert not run.thread.is_alive()


@pytest.mark.row("R-277")
def test_curves_grow_while_the_run_goes_on_and_stay_when_it_has_ended(browser, run, monkeypatch):
    monkeypatch.setattr("eventide.view.page.PATIENCE", 60.0)  # the browser may be slow to ask
    watch = run.sim.watch(run.swing, run.line, title="a swing", where="page")
    browser.open(watch.address)
    wait_for(browser, f"{SHOWN}.includes('not begun')")
    run.start(watch)
    lengths = []
    for reached in ("25 %", "50 %", "75 %"):
        lengths.append(wait_for(browser, f"{SHOWN}.includes('running') && {SHOWN}.includes('({reached})')", LENGTH))
        run.go_on()
    wait_for(browser, f"{SHOWN}.includes('ended')")
    run.thread.join(60.0)

    assert not run.thread.is_alive()
    assert lengths == sorted(set(lengths))
    text = browser.run(f"return {SHOWN}")
    assert "a swing" in text
    assert "t = 20 s (100 %)" in text
    assert "<b>swing</b>.angle [rad]" in text
    assert f"{run.swing.angle:.5g}" in text
    assert browser.run("return document.querySelectorAll('main > .eventide > svg').length") == 3
    assert browser.complaints() == []


def test_a_browser_that_is_closed_and_one_that_comes_late_do_not_matter(driver, browser, run, tmp_path):
    watch = run.sim.watch(run.swing, where="page")
    other = type(browser)(driver, tmp_path / "other")
    other.open(watch.address)
    run.start(watch)
    wait_for(other, f"{SHOWN}.includes('running')")
    other.close()
    run.go_on()
    browser.open(watch.address)
    wait_for(browser, f"{SHOWN}.includes('(50 %)')")


PROGRAM = """
import time
import eventide as ev
sim = ev.Simulation()
sim.process(ev.hold(1.0) for _ in range(100))
watch = sim.watch(x=lambda: sim.time, where="page")
sim.run(until=3.0)
time.sleep(60.0)
"""


def test_a_program_that_was_killed_leaves_its_last_curves(browser):
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stderr=subprocess.PIPE, text=True) as program:
        browser.open(program.stderr.readline().split()[-1])
        wait_for(browser, f"{SHOWN}.includes('at rest')")
        program.kill()
    wait_for(browser, f"{SHOWN}.includes('no longer answers')")
    assert browser.run("return document.querySelectorAll('main > .eventide > svg').length") == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_it_fits_its_window_in_the_colours_of_the_theme(browser, theme, width):
    sim = ev.Simulation(time_unit="s")
    with sim.watch(Swing(sim, name="a swing with quite a long name").start(), where="page") as watch:
        sim.run(until=30.0)
        browser.open(watch.address, width=width, theme=theme)
        wait_for(browser, f"{SHOWN}.includes('at rest')")
        assert browser.run("return document.documentElement.scrollWidth") <= width
        ratio = browser.run(
            "const svg = document.querySelector('main > .eventide > svg');"
            "return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width"
        )
        assert ratio == pytest.approx(1.0, abs=0.03)  # letters keep their size
        picture = Image.open(BytesIO(browser.picture())).convert("RGB")

    tones = {"light": LIGHT, "dark": DARK}[theme]
    assert "#{:02x}{:02x}{:02x}".format(*picture.getpixel((2, picture.height - 3))) == tones.ground
    colour = np.array([int(tones.colours[0][k : k + 2], 16) for k in (1, 3, 5)])
    pixels = np.asarray(picture).astype(int)
    assert (np.abs(pixels - colour).max(axis=2) < 40).sum() > width
