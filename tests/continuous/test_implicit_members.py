"""Implicit methods: states that start and stop."""

from __future__ import annotations

import pytest
from continuous.kinetics import Follower, Kinetics, Rod, counts, kinds, make

import eventide as ev

# --- states that start and stop --------------------------------------------------------------------------------------


class Link(ev.Continuous):
    """Follows one state of a rod: only that one's column has a row more."""

    rod: Rod
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 50.0 * (self.rod.u[7] - self.x)


def test_a_state_that_stops_leaves_the_derivatives_of_the_others() -> None:
    sim = make()
    rod = Rod(sim).start()
    link = Link(sim, rod=rod).start()
    log = []

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.05)
        link.stop()
        log.append(counts(sim))
        yield ev.hold(1e-9)
        rod.u = rod.u
        log.append(counts(sim))

    sim.process(story())
    sim.run(until=0.06)
    assert log[0][0] == log[1][0] == 1
    kind = kinds(sim)[0]
    assert kind is not None
    assert (kind.states, kind.evaluations) == (40, 3)
    # Settled, and a step of two iterations: the rates of the others are as before.
    assert log[1][1] - log[0][1] == 1 + 2 * 3 + 1


def test_a_state_that_starts_has_only_what_is_new_evaluated() -> None:
    sim = make()
    rod = Rod(sim).start()
    log = []

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.05)
        Link(sim, rod=rod).start()
        log.append(counts(sim))
        yield ev.hold(1e-9)
        rod.u = rod.u
        log.append(counts(sim))

    sim.process(story())
    sim.run(until=0.06)
    (before, evaluations), (after, later) = log
    assert after == before + 1
    kind = kinds(sim)[0]
    assert kind is not None
    assert (kind.states, kind.evaluations) == (41, 3)
    # Settled, an estimate of the first step, the two columns with new entries, and a step of two iterations.
    assert later - evaluations == 1 + 1 + 2 + 2 * 3 + 1


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
def test_what_starts_and_stops_beside_it_does_not_change_a_state(compiled: bool) -> None:
    def run(*, is_followed: bool) -> list[float]:
        sim = make(compile=compiled, rel_error=1e-9)
        kinetics = Kinetics(sim).start()
        log = []

        def story() -> ev.ProcessGenerator:
            for k in range(8):
                follower = Follower(sim, leader=kinetics) if is_followed and k % 2 else None
                if follower:
                    follower.start()
                yield ev.hold(5.0)
                log.append(kinetics.a)
                if follower:
                    follower.stop()

        sim.process(story())
        sim.run(until=41.0)
        return log

    alone = run(is_followed=False)
    assert alone[-1] == pytest.approx(0.7158270687194, rel=1e-9)
    assert run(is_followed=True) == pytest.approx(alone, rel=2e-9)


def test_flows_that_join_keep_the_derivatives_of_both() -> None:
    class Bridge(ev.Continuous):
        """Touches two reactions, and neither depends on it."""

        one: Kinetics
        other: Kinetics
        total: ev.State = ev.state(0.0, abs_error=1e3)

        def equations(self) -> None:
            self.rate.total = 1e-3 * (self.one.c - self.other.c)

    sim = make()
    first, second = Kinetics(sim).start(), Kinetics(sim).start()
    sim.run(until=10.0)
    assert len(sim.explain().flows) == 2
    bridge = Bridge(sim, one=first, other=second).start()
    sim.run(until=20.0)
    assert len(sim.explain().flows) == 1
    bridge.stop()
    sim.run(until=40.0)
    assert len(sim.explain().flows) == 2
    assert [first.a, second.a] == pytest.approx([0.7158270687194] * 2, rel=1e-6)


def test_what_is_gone_leaves_no_memory_behind() -> None:
    sim = make()
    rod = Rod(sim).start()

    def story() -> ev.ProcessGenerator:
        for _ in range(50):
            other = Rod(sim)
            other.start()
            yield ev.hold(1e-3)
            other.stop()

    sim.process(story())
    sim.run(until=0.01)
    motion = sim._continuum.integrator
    sizes = len(motion.memory.lists.array), len(motion.memory.constants.array)
    sim.run(until=0.06)
    assert (len(motion.memory.lists.array), len(motion.memory.constants.array)) == sizes
    assert set(motion.linearizations.of) == {rod._flow.number}
    assert motion.memory.flow.system[rod._flow.number] >= 0
