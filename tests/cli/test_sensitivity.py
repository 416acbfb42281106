"""`eventide sensitivity`: what matters, from the command line."""

import pytest

import eventide as ev

DECAY = """
import eventide as ev

class Decay(ev.Continuous):
    x: ev.State = 1.0
    rate_of_loss: float = 1.0

    def equations(self):
        self.rate.x = -self.rate_of_loss * self.x

@ev.model(until=1.0)
def decay(sim, *, loss: float = 2.0, start: float = 3.0, parts: int = 1):
    one = Decay(sim, x=start, rate_of_loss=loss).start()
    return {"left": lambda: one.x}
"""


@pytest.mark.slow
def test_sensitivities_are_printed_written_and_drawn(command, model_file, tmp_path):
    path, out, picture = model_file(DECAY), tmp_path / "found.csv", tmp_path / "found.png"
    outcome = command("sensitivity", path, "--set", "loss=1.5", "--out", out, "--plot", picture)
    assert outcome.status == 0
    assert outcome.out.splitlines()[0] == (
        "Sensitivities of decay(loss=1.5, start=3.0, parts=1), by variational equations"
    )
    table = ev.load(out)
    assert table["input"].to_list() == ["loss", "start"]
    assert table["effect"].to_list() == ["decreasing", "increasing"]
    assert abs(table["elasticity"][0] + 1.5) < 1e-5
    assert picture.stat().st_size > 5_000


def test_what_cannot_be_varied_is_refused(command, model_file):
    path = model_file(DECAY)
    outcome = command("sensitivity", path, "--wrt", "parts")
    assert outcome.status == 2
    assert "the sensitivity of decay to parts does not exist" in outcome.err
    assert "by= takes" in command("sensitivity", path, "--by", "guess").err
