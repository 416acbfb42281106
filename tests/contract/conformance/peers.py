"""The cases as other tools answer them, each used as its own documentation shows.

scipy       solve_ivp(events=...): one call where events change nothing; else it ends at each event, and a loop begins
            it again with what the event made of the state
diffrax     diffeqsolve(event=...) ends at each event, and a loop begins it again; past an event that changes nothing it
            goes without events for 1e-9 of the run, as it would find the same again
PathSim     a block with the equations, and an event of its kind for each condition
All get the tolerances of the case.
"""

import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

from conformance.case import Case, Log, Problem, Watched

TOOLS = {"scipy": "scipy", "diffrax": "diffrax", "PathSim": "pathsim"}
"""Names, and what to import."""


class Found(NamedTuple):
    """What a tool found, and how its run ended, in words; empty if it came to its end."""

    log: tuple[tuple[str, float], ...]
    trouble: str = ""


class StuckError(Exception):
    """There have been far more events than there are."""


def absent() -> list[str]:
    """The tools that are not installed."""
    return [name for name, module in TOOLS.items() if find_spec(module) is None]


def ask(tool: str, case: Case) -> Found | None:
    """What a tool finds; None if the case cannot be written for it."""
    if case.problem is None:
        return None
    log: Log = []
    trouble = ""
    try:
        _ASKED[tool](case, case.problem, log)
    except StuckError:
        trouble = "stuck"
    except Exception as error:  # noqa: BLE001  # whatever goes wrong in another tool is what it answered
        trouble = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:60]
    return Found(tuple(sorted(log, key=lambda happening: happening[1])), trouble)


def expected(case: Case) -> tuple[tuple[str, float], ...]:
    """What of the exact answer a solver is asked for."""
    assert case.problem is not None
    names = {watched.name for watched in case.problem.watched}
    return tuple(happening for happening in case.exact if happening[0] in names)


def note(case: Case, log: Log, name: str, time: float) -> None:
    """Keep an event; StuckError once there have been twice as many as there are, and fifty."""
    log.append((name, float(time)))
    if len(log) > 2 * len(case.exact) + 50:
        raise StuckError


def end_of(case: Case, problem: Problem) -> float:
    return case.until if problem.until is None else problem.until


def tolerances(case: Case) -> tuple[float, float, float]:
    """rel_error, abs_error, dt_max."""
    options = case.options
    return options.get("rel_error", 1e-6), options.get("abs_error", 1e-9), options.get("dt_max", math.inf)


# --- scipy ------------------------------------------------------------------------------------------------------------


def ask_scipy(case: Case, problem: Problem, log: Log) -> None:
    import numpy as np
    from scipy.integrate import solve_ivp

    relative, absolute, longest = tolerances(case)
    events = [_scipy_event(watched) for watched in problem.watched]
    time, end, state = 0.0, end_of(case, problem), np.array(problem.start)
    while time < end:
        found = solve_ivp(
            lambda t, y: problem.rates(t, y, math),
            (time, end),
            state,
            events=events,
            dense_output=True,
            rtol=max(relative, 2.3e-14),
            atol=absolute,
            max_step=longest,
        )
        if found.status < 0:
            raise RuntimeError(found.message)
        time, state = float(found.t[-1]), found.y[:, -1]
        for watched, times in zip(problem.watched, found.t_events, strict=True):
            for event in times:
                note(case, log, watched.name, event)
            if found.status == 1 and watched.effect is not None and len(times) and times[-1] == time:
                state = np.array(watched.effect(state))
        if found.status == 0:
            return


def _scipy_event(watched: Watched) -> Any:
    def event(t: float, y: Any) -> Any:
        return watched.value(t, y, math)

    event.terminal = watched.effect is not None
    event.direction = float(watched.direction)
    return event


# --- diffrax ----------------------------------------------------------------------------------------------------------


def ask_diffrax(case: Case, problem: Problem, log: Log) -> None:
    import diffrax
    import jax
    import jax.numpy as jnp
    import optimistix

    jax.config.update("jax_enable_x64", True)
    relative, absolute, longest = tolerances(case)
    end = end_of(case, problem)

    def rates(t: Any, y: Any, _args: Any) -> Any:
        return jnp.stack([jnp.asarray(rate, dtype=float) for rate in problem.rates(t, y, jnp)])

    event = diffrax.Event(
        [_diffrax_condition(watched, jnp) for watched in problem.watched],
        optimistix.Newton(rtol=1e-10, atol=1e-12, norm=optimistix.rms_norm),
        direction=[{0: None, 1: True, -1: False}[watched.direction] for watched in problem.watched],
    )

    def solve(time: Any, until: Any, state: Any, event: Any) -> Any:
        found = diffrax.diffeqsolve(
            diffrax.ODETerm(rates),
            diffrax.Tsit5(),
            time,
            until,
            None,
            state,
            event=event,
            saveat=diffrax.SaveAt(t1=True),
            stepsize_controller=diffrax.PIDController(
                rtol=relative, atol=absolute, dtmax=None if longest == math.inf else longest
            ),
            max_steps=100_000,
            throw=False,
        )
        return found.ts[-1], found.ys[-1], found.event_mask, found.result == diffrax.RESULTS.max_steps_reached

    watch = jax.jit(lambda time, state: solve(time, end, state, event))
    pass_by = jax.jit(lambda time, until, state: solve(time, until, state, None)[:2])
    time, state = 0.0, jnp.array(problem.start)
    while time < end:
        time, state, mask, is_stuck = watch(time, state)
        time = float(time)
        if is_stuck or math.isnan(time):
            raise StuckError
        if not any(mask):
            return
        for watched, fired in zip(problem.watched, mask, strict=True):
            if fired:
                note(case, log, watched.name, time)
                if watched.effect is not None:
                    state = jnp.array([float(value) for value in watched.effect(state)])
        if all(watched.effect is None for watched, fired in zip(problem.watched, mask, strict=True) if fired):
            time, state = pass_by(time, time + 1e-9 * end, state)


def _diffrax_condition(watched: Watched, functions: Any) -> Callable[..., Any]:
    return lambda t, y, args, **_: watched.value(t, y, functions)


# --- PathSim ----------------------------------------------------------------------------------------------------------


def ask_pathsim(case: Case, problem: Problem, log: Log) -> None:
    import numpy as np
    from pathsim import Simulation
    from pathsim.blocks import ODE
    from pathsim.events import ZeroCrossing, ZeroCrossingDown, ZeroCrossingUp
    from pathsim.solvers import RKDP54

    kinds = {0: ZeroCrossing, 1: ZeroCrossingUp, -1: ZeroCrossingDown}
    relative, absolute, longest = tolerances(case)
    end = end_of(case, problem)
    block = ODE(lambda x, u, t: np.array(problem.rates(t, x, math), dtype=float), np.array(problem.start))

    def event(watched: Watched) -> Any:
        def act(t: float) -> None:
            note(case, log, watched.name, t)
            if watched.effect is not None:
                block.engine.state = np.array(watched.effect(block.engine.state), dtype=float)

        value = watched.value
        return kinds[watched.direction](lambda t: float(value(t, block.engine.state, math)), act, tolerance=1e-9)

    simulation = Simulation(
        blocks=[block],
        events=[event(watched) for watched in problem.watched],
        dt=min(end / 1000.0, longest),
        dt_max=None if longest == math.inf else longest,
        Solver=RKDP54,
        tolerance_lte_abs=absolute,
        tolerance_lte_rel=relative,
        log=False,
    )
    simulation.run(end, adaptive=True)


_ASKED: dict[str, Callable[[Case, Problem, Log], None]] = {
    "scipy": ask_scipy,
    "diffrax": ask_diffrax,
    "PathSim": ask_pathsim,
}
