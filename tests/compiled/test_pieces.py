"""A law that is cut into pieces does what it does whole, and what Python does, to the last bit."""

from __future__ import annotations

import pytest
from compiled import test_random, test_vector_random
from compiled.harness import compare_law, new_registry
from compiled.random_generators import made
from hypothesis import given, settings

import eventide as ev
from eventide.lowering.kernels.lowering import lower_law
from eventide.native import pieces

REGISTRY = new_registry()


@pytest.fixture(scope="module", params=[1, 20])
def short(request):
    """Every law is cut where it has so many instructions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "MOST", 0)
        patch.setattr(pieces, "LENGTH", request.param)
        yield


@pytest.mark.slow
@settings(max_examples=25, **test_random.LIMITS)
@given(test_random.program())
def test_random_laws_in_pieces(short, text: str) -> None:
    compare_law(REGISTRY, test_random.new_subject(names := test_random.made(text)), names["law"], shakes=8, seed=3)


@pytest.mark.slow
@settings(max_examples=25, **test_random.LIMITS)
@given(test_vector_random.program())
def test_random_laws_of_vectors_in_pieces(short, text: str) -> None:
    compare_law(REGISTRY, test_vector_random.new_rod(), test_vector_random.made(text)["law"], shakes=8, seed=3)


def chain(count: int) -> type[ev.Continuous]:
    """Reactions, each of what the second before makes, one in five by one of two ways; only two have states."""
    lines = ["x, y, total = self.x, self.y, 0.0"]
    for k in range(count):
        before = "y" if k < 2 else f"r{k - 2}"
        lines.append(f"r{k} = {0.5 + k % 7} * x / (1.5 + {before})" if k % 5 else f"r{k} = max({before}, x)")
        lines.append(f"total = total + r{k}")
    lines += ["self.rate.x = -0.001 * total", "self.rate.y = 0.1 * r0 - y if y > 0.2 else r1"]
    text = "\n".join([
        "import eventide as ev", "class Chain(ev.Continuous):", "    x: ev.State = ev.state(1.0)",
        "    y: ev.State = ev.state(0.5)", "    def equations(self):", *(f"        {line}" for line in lines), "",
    ])  # fmt: skip
    return made(text)["Chain"]


def run(kind: type[ev.Continuous], *, native: bool) -> tuple[str, str, int]:
    sim = ev.Simulation(abs_error=1e-8, rel_error=1e-8, compile=native)
    one = kind(sim).start()
    sim.run(until=1.0)
    return one.x.hex(), one.y.hex(), sim.report().evaluations


@pytest.mark.slow
def test_a_long_law_is_cut_into_pieces_of_bounded_length_and_a_short_one_is_not(monkeypatch):
    monkeypatch.setattr(pieces, "MOST", 500)
    monkeypatch.setattr(pieces, "LENGTH", 50)
    sim = ev.Simulation()
    short, long = (lower_law(kind(sim), kind.equations).function for kind in (chain(20), chain(80)))

    assert not short.pieces
    lengths = [text.count("\n") for text in long.pieces.split("define")[1:]]
    assert len(lengths) > 10
    assert max(lengths) < 2 * pieces.LENGTH
    assert long.body.count("\n") < 2 * pieces.LENGTH


@pytest.mark.slow
def test_a_small_flow_with_a_long_law_makes_the_same_steps_as_in_python(monkeypatch):
    monkeypatch.setattr(pieces, "MOST", 100)
    monkeypatch.setattr(pieces, "LENGTH", 30)
    kind = chain(40)

    assert run(kind, native=True) == run(kind, native=False)
