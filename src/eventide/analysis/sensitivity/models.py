"""Sensitivities of the responses and states of a model with events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.analysis.sensitivity.dual import Dual, UndifferentiableError, value_of
from eventide.analysis.sensitivity.dual_simulation import DualSimulation
from eventide.analysis.sensitivity.integrals import Cumulated
from eventide.analysis.sensitivity.margins import Margins
from eventide.analysis.sensitivity.results import Entry, Sensitivity, Way, check_names, check_way, share_for
from eventide.continuous.components.member import layout_of
from eventide.declare.units import in_time_unit
from eventide.engine.switching import HELD
from eventide.errors import ModelError
from eventide.experiment.arguments import check_end
from eventide.experiment.designs import is_positive
from eventide.experiment.responses import read_responses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.analysis.sensitivity.tangents import Tangents
    from eventide.experiment.models import Model
    from eventide.simulation import Simulation


SAME: Final = 1e3
"""Two runs with other steps are the same if they differ by fewer tolerances, as they are or as their own derivatives
enlarge them,"""
ENLARGED: Final = 1e-4
"""these up to such a share of the value: an orbit carries an error far, and a chaotic model any error anywhere."""


@dataclass(frozen=True)
class Passage:
    """What one run of a model came to.

    responses   by name, as they were read
    fields      at each time that was asked for: the states of the active components, by name
    events      what had an event, in order
    refused     why some responses, by name, have no derivatives that are known
    """

    responses: Mapping[str, float | Dual]
    fields: Sequence[tuple[float, Mapping[str, float | Dual]]]
    end: float
    events: Sequence[str]
    refused: Mapping[str, UndifferentiableError]


def sensitivity_of_model(
    model: Model[..., object],
    wrt: str | Iterable[str] | None = None,
    *,
    by: Way = "variational",
    at: Iterable[float] = (),
    until: float | None = None,
    entropy: int | None = None,
    step: float | None = None,
) -> Sensitivity:
    """See `sensitivity`."""
    check_way(by)
    model.check_ready(until)
    until = check_end(until, f"the sensitivity of {model.name}", model.time_unit)
    continuous = [name for name, value in model.values.items() if type(value) is float]
    if wrt is not None:
        _refuse_discrete(model, (wrt,) if isinstance(wrt, str) else tuple(wrt))
    names = tuple(continuous) if wrt is None else check_names(wrt, continuous, model.name)
    if not names:
        raise ModelError(f"{model.name} has no parameter that is a number with derivatives: nothing can be varied")
    times = _times_until(at, model.until if until is None else until, model.time_unit)
    if step is not None and not (is_positive(step) and step < 1.0):
        raise ModelError(f"step= takes a share of the input, greater than 0 and below 1, and got {step!r}")
    plain = model.simulation(entropy)
    base = _pass(model, plain, dict(model.values), until, times)
    units = {name: getattr(value, "unit", "") for name, value in base.responses.items()}
    if by == "variational":
        entries, warnings = _variational(model, names, until, times, plain, base)
        return Sensitivity(repr(model), by, entries, units, warnings, plain.entropy)
    size = share_for(plain.rel_error, by) if step is None else step
    entries, warnings = _differences(model, names, by, until, times, plain.entropy, base, size)
    return Sensitivity(repr(model), by, entries, units, warnings, plain.entropy)


def _times_until(at: Iterable[float], end: float | None, unit: str) -> list[float]:
    """The times at which states are asked for. Raises ModelError if they do not grow, or lie behind the end."""
    try:
        times = [float(in_time_unit(time, unit, "at=")) for time in at]
    except (TypeError, ValueError):
        raise ModelError(f"at= takes times, as at=[1.0, 2.0], and got {at!r}") from None
    if not all(map(isfinite, times)) or sorted(times) != times:
        raise ModelError(f"at= takes times that grow, and got {times!r}")
    if end is not None and times and times[-1] > end:
        raise ModelError(
            f"at= takes times up to the end of the run, which is {end!r}, and got {times[-1]!r}: give until="
        )
    return times


def _refuse_discrete(model: Model[..., object], names: Sequence[str]) -> None:
    for name in names:
        if name in model.values and type(model.values[name]) is not float:
            parameter = model.parameters[name]
            raise ModelError(
                f"the sensitivity of {model.name} to {name} does not exist: it takes {parameter.kind.allowed}, which "
                "cannot be varied continuously; compare runs with several of its values instead"
            )


# --- one run ----------------------------------------------------------------------------------------------------------


def _pass(
    model: Model[..., object], sim: Simulation, values: dict[str, object], until: float | None, times: Sequence[float]
) -> Passage:
    """Run a model as `Model.run` does, with a stop at each of some times to look at its states."""
    end = model.until if until is None else until
    events: list[str] = []
    if not isinstance(sim, DualSimulation):
        sim.trace = lambda occurrence: events.append(f"{occurrence.who}: {occurrence.why}")
    told = model.function(sim, **values)
    if model.is_program:
        sim.main = sim.process(told, name=model.name)
    fields = []
    for time in times:
        sim.run(until=time)
        fields.append((time, _states(sim)))
    if end is None or end > sim.time:
        sim.run(until=end)
    if sim.main is not None:
        told = sim.main.result if sim.main.terminated else {}
    responses, refused = _responses_of(told, model.name)
    if refused and not responses and not fields:
        raise next(iter(refused.values()))
    return Passage(responses, fields, float(getattr(sim, "instant", sim.time)), events, refused)


def _responses_of(told: object, model: str) -> tuple[dict[str, float | Dual], dict[str, UndifferentiableError]]:
    """What a run answered, by name, and why some of it has no derivatives that are known."""
    if not isinstance(told, Mapping):
        return {**read_responses(told, model)[0]}, {}
    responses: dict[str, float | Dual] = {}
    refused: dict[str, UndifferentiableError] = {}
    for name, value in told.items():
        try:
            responses.update(read_responses({name: value}, model)[0])
        except UndifferentiableError as error:
            refused[name] = error
    return responses, refused


def _states(sim: Simulation) -> dict[str, float | Dual]:
    """The states of all active components, by name."""
    return {
        f"{one.name}.{name}": getattr(one, name)
        for one in sim.laws
        if not isinstance(one, Cumulated)
        for name in layout_of(one).states
    }


# --- by variational equations -----------------------------------------------------------------------------------------


def _variational(
    model: Model[..., object],
    names: Sequence[str],
    until: float | None,
    times: Sequence[float],
    plain: Simulation,
    base: Passage,
) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    entropy = plain.entropy
    sim = DualSimulation(len(names), **model.options, rng=entropy)
    tangents = sim.tangents
    assert tangents is not None
    # Derivatives are with respect to shares of the inputs, so that the tolerances suit them whatever their units.
    scales = [abs(model.values[name]) or 1.0 for name in names]
    values = dict(model.values)
    for k, name in enumerate(names):
        tangent = np.zeros(len(names) + 1)
        tangent[k] = scales[k]
        values[name] = Dual(tangents.space, model.values[name], tangent)
    margins = Margins(sim.events_met)
    sim.monitor.add_observer(margins)
    tangents.functions.take_in(model.function)
    tangents.expose()
    try:
        found = _pass(model, sim, values, until, times)
    except UndifferentiableError as error:
        error.add_note(f"in the variational equations of {model!r} with entropy {entropy}, at time {sim.instant!r}")
        raise
    finally:
        sim.close()
    unknown = Dual(tangents.space, nan, np.full(len(names) + 1, nan))
    known = {name: unknown.of(float(value), 1.0) for name, value in base.responses.items()}
    responses = {name: found.responses.get(name, other) for name, other in known.items()}
    found = replace(found, responses=responses)
    _check_same(model, base, found, plain)

    def read(output: str, time: float, value: float | Dual) -> list[Entry]:
        slopes = value.tangent if isinstance(value, Dual) else np.zeros(len(names))
        number = value.value if isinstance(value, Dual) else float(value)
        if not isfinite(number):
            slopes = np.full(len(names), nan)
        return [
            Entry(output, time, name, model.values[name], float(number), float(slopes[k]) / scales[k])
            for k, name in enumerate(names)
        ]

    notes = (f"{name} has no derivatives here: {error}" for name, error in found.refused.items())
    return _entries(found, read), (*margins.notes, *notes)


def _check_same(model: Model[..., object], base: Passage, found: Passage, plain: Simulation) -> None:
    """Raise UndifferentiableError if the run with derivatives has come to something else than the run without."""
    for ((output, time), known), (_, number) in zip(_numbers(base), _numbers(found), strict=True):
        value, other = float(known), float(value_of(number))
        size = max(abs(value), abs(other))
        near = SAME * (plain.rel_error * size + plain.abs_error)
        if isinstance(number, Dual):
            near += min(ENLARGED * size, SAME * plain.rel_error * float(np.abs(number.tangent[:-1]).sum()))
        if abs(value - other) > near or (value != value) != (other != other):
            at, jumps = ("", "") if time is None else (f" at time {time!r}", ", it jumps at this very time,")
            raise UndifferentiableError(
                f"with its derivatives {model.name} comes to {output} = {other!r}{at}, and without them to {value!r}: "
                f"it depends on its steps more than the tolerances say, so an event grazes{jumps} or the model is "
                "chaotic; take smaller tolerances"
            )


def _entries(found: Passage, read: Callable[[str, float, float | Dual], list[Entry]]) -> tuple[Entry, ...]:
    entries: list[Entry] = []
    for time, states in found.fields:
        for output, value in states.items():
            entries += read(output, time, value)
    for output, value in found.responses.items():
        entries += read(output, found.end, value)
    return tuple(entries)


# --- by differences ---------------------------------------------------------------------------------------------------


def _differences(
    model: Model[..., object],
    names: Sequence[str],
    by: Way,
    until: float | None,
    times: Sequence[float],
    entropy: int,
    base: Passage,
    step: float,
) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """One input at a time, with the same random numbers in all runs. Source: (4.9) to (4.12), corrected."""
    entries: list[Entry] = []
    warnings: list[str] = []
    for name in names:
        middle = model.values[name]
        width = step * (abs(middle) or 1.0)
        ends = (middle + width, middle - width) if by == "central" else (middle + width, middle)
        runs = [
            base
            if value == middle
            else _pass(model, model.simulation(entropy), {**model.values, name: value}, until, times)
            for value in ends
        ]
        if any(run.events != base.events for run in runs):
            warnings.append(
                f"events have another order, or are others, where {name} is varied from {ends[1]!r} to {ends[0]!r}: "
                "the difference is across a jump or a kink; try a smaller step="
            )
        high, low = ({key: float(value) for key, value in _numbers(run)} for run in runs)
        for (output, time), value in _numbers(base):
            if (output, time) not in high or (output, time) not in low:
                raise ModelError(f"{output} is not there in every run where {name} is varied: it has no difference")
            slope = (high[output, time] - low[output, time]) / (ends[0] - ends[1])
            entries.append(Entry(output, base.end if time is None else time, name, middle, float(value), slope))
    order = {key: k for k, (key, _) in enumerate(_numbers(base))}
    keys = {(output, base.end if time is None else time): k for (output, time), k in order.items()}
    entries.sort(key=lambda entry: keys[entry.output, entry.time])
    return tuple(entries), tuple(warnings)


def _numbers(found: Passage) -> list[tuple[tuple[str, float | None], float | Dual]]:
    """All outputs of a run with their times; None stands for its end."""
    fields = [((name, time), value) for time, states in found.fields for name, value in states.items()]
    return [*fields, *(((name, None), value) for name, value in found.responses.items())]


# --- the laws at one time ---------------------------------------------------------------------------------------------


def states_at(
    model: Model[..., object], time: float, entropy: int | None
) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The states of the active components at a time: names, values (n,), rates (n,) and their derivatives (n, n)."""
    sim = DualSimulation(0, **model.options, rng=entropy)
    tangents = sim.tangents
    assert tangents is not None
    tangents.functions.take_in(model.function)
    tangents.expose()
    try:
        told = model.function(sim, **model.values)
        if model.is_program:
            sim.main = sim.process(told, name=model.name)
        sim.run(until=time)
        for one in [one for one in sim.laws if isinstance(one, Cumulated)]:
            one.stop()  # it looks at the model, and is no part of it
        states = _states(sim)
        slots = [slot for one in sim.laws if one in tangents.companions for slot in tangents.slots_of(one)]
        for slot, unit in zip(slots, np.eye(len(slots)), strict=True):
            tangents.row.tangents[slot] = unit
        rates_found = tangents.evaluate()
        _check_kinks(tangents, rates_found, sim.instant)
        integrated = {slot for one in tangents.companions for slot in tangents.integrated(one)}
        found = [rates_found.get(slot, 0.0) if slot in integrated else 0.0 for slot in slots]
    finally:
        sim.close()
    values = np.array([float(value_of(value)) for value in states.values()])
    rates = np.array([float(value_of(rate)) for rate in found])
    slopes = np.array([rate.tangent if isinstance(rate, Dual) else np.zeros(len(slots)) for rate in found])
    return list(states), values, rates, slopes.reshape(len(slots), len(slots))


def _check_kinks(tangents: Tangents, found: Mapping[int, float | Dual], time: float) -> None:
    """Raise UndifferentiableError if a comparison of a law changes at this very point, and the rates turn there."""
    others, compared = [], list(tangents.compared)
    # A guard, as against what is negative, raises on one side: then there is the other one alone.
    with suppress(Exception):
        if any(map(_is_tied, compared)):
            others.append(tangents.evaluate([outcome is not _is_tied((one, outcome)) for one, outcome in compared]))
    tangents.space.forced = []
    for switch in tangents.switches():
        with tangents.watch() as comparisons:
            switch.test()
        for outcome in (HELD, -HELD) if any(map(_is_tied, comparisons)) else ():
            with tangents.holding(switch, outcome), suppress(Exception):
                others.append(tangents.evaluate())
    if not all(_are_alike(rate, other.get(slot, 0.0)) for other in others for slot, rate in found.items()):
        raise UndifferentiableError(
            f"there is no linear form at time {time!r}: a comparison in a law changes there, and the laws on its two "
            "sides have other derivatives; take a time at which the states are on one side"
        )


def _is_tied(comparison: tuple[Dual, bool]) -> bool:
    difference, _ = comparison
    return difference.value == 0.0 and bool(difference.tangent.any())


def _are_alike(one: float | Dual, other: float | Dual) -> bool:
    apart = one - other
    slopes = apart.tangent if isinstance(apart, Dual) else 0.0
    return float(value_of(apart)) == 0.0 and bool(np.allclose(slopes, 0.0, rtol=0.0, atol=1e-12))
