"""Makes a program smaller while the same thing is wrong with it, and writes it as a script of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from fuzzing import model as m
from fuzzing.compare import Expected, Finding
from fuzzing.running import METHODS, TOLERANCE, Setting
from fuzzing.source import source_of

Edit = Callable[[m.Program], None]
EXPRESSIONS = m.Expr.__args__  # type: ignore[attr-defined]  # of a union


def shrink(program: m.Program, is_wrong: Callable[[m.Program], bool], seconds: float) -> m.Program:
    """The smallest program that is found in so many seconds of which `is_wrong` is still true."""
    end = time.monotonic() + seconds
    best, changed = program, True
    while changed and time.monotonic() < end:
        changed = False
        place = 0
        while time.monotonic() < end:
            candidate = _edited(best, place)
            if candidate is None:
                break
            if candidate is not best and is_wrong(candidate):
                best, changed = candidate, True
            else:
                place += 1
    return best


def _edited(program: m.Program, place: int) -> m.Program | None:
    """The program with the edit of that number; itself if that changes nothing, None if there is none."""
    for number, edit in enumerate(edits(program)):
        if number == place:
            made = deepcopy(program)
            try:
                edit(made)
            except (LookupError, AttributeError, TypeError):
                return program
            return program if repr(made) == repr(program) else made
    return None


def edits(program: m.Program) -> Iterator[Edit]:
    """All ways to make a program a bit smaller, large ones first."""
    for factor in (0.25, 0.5, 0.75, 0.9):
        yield lambda p, factor=factor: _end_at(p, round(p.end * factor, 3))
    for o in program.objects:
        for other in program.objects:
            if other is not o and other.kind == o.kind:
                yield lambda p, old=o.name, new=other.name: _replace_object(p, old, new)
        yield lambda p, name=o.name: _remove_object(p, name)
    for path, thing in _lists(program, ()):
        if len(thing) > 1:
            yield lambda p, path=path: _at(p, path).clear()
        for place in reversed(range(len(thing))):
            yield lambda p, path=path, place=place: _at(p, path).pop(place)
    for path, thing in _dicts(program, ()):
        for key in thing:
            yield lambda p, path=path, key=key: _at(p, path).pop(key)
    for path, thing in _things(program, ()):
        if not (path[-1] == "argument" and _is_input(_at(program, path[:-1]))):
            yield from _simpler(path, thing)


def _is_input(call: m.Apply) -> bool:
    """Whether it calls an input, which is a function of the time and of nothing else."""
    return call.path[-1] == "drive"


def _simpler(path: tuple[Any, ...], thing: Any) -> Iterator[Edit]:
    if isinstance(thing, m.If | m.Loop | m.Guarded | m.Use):
        yield lambda p: _splice(p, path)
    if isinstance(thing, m.Loop) and thing.times > 1 and thing.times != m.FOREVER:
        yield lambda p: setattr(_at(p, path), "times", 1)
    if isinstance(thing, m.Both):
        for name in ("left", "right"):
            yield lambda p, name=name: _put(p, path, getattr(_at(p, path), name))
    if isinstance(thing, EXPRESSIONS) and not isinstance(thing, m.Num):
        for value in (0.0, 1.0):
            yield lambda p, value=value: _put(p, path, m.Num(value))
        for f in fields(thing):
            inner = getattr(thing, f.name)
            if isinstance(inner, EXPRESSIONS):
                yield lambda p, name=f.name: _put(p, path, getattr(_at(p, path), name))
        if isinstance(thing, m.Call):
            yield lambda p: _put(p, path, _at(p, path).args[0])
    for name, plain in (
        ("style", "plain"),
        ("priority", 0.0),
        ("at_start", False),
        ("late", False),
        ("returns_early", False),
    ):
        if hasattr(thing, name) and not isinstance(thing, m.Process) and getattr(thing, name) != plain:
            yield lambda p, name=name, plain=plain: setattr(_at(p, path), name, plain)
    if isinstance(thing, m.Process) and thing.style != "generator":
        yield lambda p: setattr(_at(p, path), "style", "generator")
    if isinstance(thing, m.Num) and round(thing.value, 1) != thing.value:
        yield lambda p: setattr(_at(p, path), "value", round(_at(p, path).value, 1))


def _children(thing: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(thing, m.Function) and thing.text:
        return  # the formula of an input says what its text makes
    if is_dataclass(thing):
        for f in fields(thing):
            if f.name != "features":
                yield (*path, f.name), getattr(thing, f.name)
    elif isinstance(thing, list):
        yield from (((*path, k), one) for k, one in enumerate(thing))
    elif isinstance(thing, dict):
        yield from (((*path, k), one) for k, one in thing.items())


def _things(thing: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    for place, one in _children(thing, path):
        yield place, one
        yield from _things(one, place)


def _lists(thing: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
    return ((place, one) for place, one in _things(thing, path) if isinstance(one, list))


def _dicts(thing: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], dict[Any, Any]]]:
    return ((place, one) for place, one in _things(thing, path) if isinstance(one, dict))


def _at(program: m.Program, path: tuple[Any, ...]) -> Any:
    thing: Any = program
    for step in path:
        thing = getattr(thing, step) if isinstance(step, str) and is_dataclass(thing) else thing[step]
    return thing


def _put(program: m.Program, path: tuple[Any, ...], value: Any) -> None:
    owner = _at(program, path[:-1])
    if is_dataclass(owner):
        setattr(owner, path[-1], value)
    else:
        owner[path[-1]] = value


def _splice(program: m.Program, path: tuple[Any, ...]) -> None:
    """Put what stands within a statement in its place."""
    owner, thing = _at(program, path[:-1]), _at(program, path)
    inner = thing.then + thing.other if isinstance(thing, m.If) else thing.body
    owner[path[-1] : path[-1] + 1] = inner


def _end_at(program: m.Program, end: float) -> None:
    """End a program earlier; a pause behind its end would be one that the main program cannot come to."""
    program.end = end
    program.pauses = [pause for pause in program.pauses if pause.time < end]


def _remove_object(program: m.Program, name: str) -> None:
    program.objects = [o for o in program.objects if o.name != name]
    program.order = [one for one in program.order if one != name]


def _replace_object(program: m.Program, old: str, new: str) -> None:
    """Let everything that refers to an object refer to another of its class."""
    _remove_object(program, old)
    for o in program.objects:
        o.references = {key: new if one == old else one for key, one in o.references.items()}
        o.lists = {key: [one for one in names if one != old] for key, names in o.lists.items()}
    for thing in m.parts_of(program):
        for f in fields(thing):
            value = getattr(thing, f.name)
            if isinstance(value, tuple) and value and value[0] == old:
                setattr(thing, f.name, (new, *value[1:]))


# --- scripts ----------------------------------------------------------------------------------------------------------

ENDING = """

METHODS = {methods!r}


class Failed(Exception):
    pass


def run_on(sim, end):
    while True:  # what the model stops, or an error ends, goes on
        try:
            sim.run(until=end)
        except Failed:
            continue
        if sim.time >= end:
            return


def run_as(method, observed="", pieces=1, rows="", **settings):
    sim = ev.Simulation(abs_error={tolerance!r}, rel_error={tolerance!r}, **settings)
    if rows == "rows":
        vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    sim.method = getattr(ev.methods, method)
    log, pool, objects = build(sim)
{observed}
    most = sim.dt_max
    marks = [({end!r} * k / pieces, k) for k in range(1, pieces)] + pauses_of[sim]
    for time, act in sorted(marks, key=lambda mark: mark[0]):
        run_on(sim, time)
        if callable(act):
            act()
            continue
        sim.explain(), [o.x for o in objects]
        sim.method = getattr(ev.methods, METHODS[(METHODS.index(method) + act) % len(METHODS)])
        sim.dt_max = min((math.inf, 1e9, 0.1)[act % 3], most)
    run_on(sim, {end!r})
    return log, [[getattr(o, name) for name in ("x", "v", "w") if hasattr(o, name)] for o in (*objects, *pool)]


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")  # as where it was found
    # {finding}
"""
LOOKS = """    if observed == "recorded in rows":
        for every in ("event", 0.0703):
            sim.record(*objects, every=every)
    elif observed.startswith("recorded"):
        sim.record(*objects, every="event" if observed.endswith("events") else 0.0703)
    elif observed == "dense":
        sim.record(*objects, every=0.5, dense=True)
    elif observed == "logged":
        sim.log()
    elif observed == "integrated":
        sim.integral(lambda: objects[0].x)
    elif observed == "reported":
        type("Looks", (ev.Reporter,), {"report": lambda self: [o.x for o in objects]})(sim, every=0.113).start()
    elif observed == "a reporter fails":

        class Fails(ev.Reporter):
            calls: int = 0

            def report(self):
                self.calls += 1
                if self.calls % 5 == 0:
                    raise Failed

        Fails(sim, every="event" if len(objects) % 2 else 0.0703).start()
    elif observed == "processes fail":

        class Ends(ev.Process):
            time: float

            def run(self):
                yield ev.hold(self.time)
                raise Failed

        for k in range(1, 40):
            Ends(sim, time=703 * k / 10000).activate()"""


def script_of(program: m.Program, finding: Finding, expected: Expected | None) -> str:
    """A script that runs a program as in the finding, and prints what is got beside what is right."""
    lines = [
        source_of(program)
        + ENDING.format(
            tolerance=TOLERANCE,
            methods=METHODS,
            observed=LOOKS,
            end=program.end,
            finding=str(finding).replace("\n", "\n    # "),
        )
    ]
    if any(setting.eager for setting in finding.of):
        lines.append("    from eventide.continuous.guards import native_handlers\n")
    if any(setting.rows for setting in finding.of):
        lines.append(f"    import sys\n\n    sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n")
        lines.append("    from bodies.early import hurried\n    from fuzzing.running import Bodies\n\n")
    calls = [_call(setting) for setting in finding.of]
    for name, call in zip(("got", "other"), calls, strict=False):
        lines.append(f"    {name} = {call}\n")
    if len(calls) == 2:
        lines.append("    rows = list(zip(got[0], other[0]))\n")
    else:
        right = expected.outcome.log if expected is not None else []
        lines.append(f"    right = {right!r}\n    rows = list(zip(got[0], right))\n")
        lines.append("    print('entries:', len(got[0]), 'and should be', len(right))\n")
        if expected is not None:
            lines.append(f"    print('at the end', got[1], 'and should be', {expected.outcome.values!r})\n")
    lines.append("    for k, (one, another) in enumerate(rows):\n")
    lines.append("        print(k, one, another, '' if one == another else '  <--')\n")
    return "".join(lines)


def _call(setting: Setting) -> str:
    more = "" if setting.compiled else ", compile=False"
    more += "" if setting.stepping == "apart" else f", stepping={setting.stepping!r}"
    more += f", observed={setting.observed!r}" if setting.observed else ""
    more += f", pieces={setting.pieces}" if setting.pieces > 1 else ""
    eager = "setattr(native_handlers, 'ENOUGH', 1) or " if setting.eager else ""
    more += f", rows={setting.rows!r}" if setting.rows else ""
    return f"{eager}{'hurried()(run_as)' if setting.rows else 'run_as'}({setting.method!r}{more})"
