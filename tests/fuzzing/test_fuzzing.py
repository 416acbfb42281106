"""The fuzzer: what it writes are programs, of every feature; it finds what is wrong, and makes it small."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest
from fuzzing import breaks, compare, errand_runs, hunt, running
from fuzzing import model as m
from fuzzing.exceptions import Skip
from fuzzing.generate import FEATURES, Maker, generate
from fuzzing.running import Result, Setting
from fuzzing.shrink import edits, script_of, shrink
from fuzzing.source import Words, source_of
from fuzzing.stories import simulate

import eventide as ev

STATEMENTS = m.Statement.__args__  # type: ignore[attr-defined]  # of a union


@pytest.mark.slow
def test_a_seed_is_one_program() -> None:
    assert [source_of(generate(seed)) for seed in range(5)] == [source_of(generate(seed)) for seed in range(5)]
    assert len({source_of(generate(seed)) for seed in range(50)}) == 50


def test_what_is_left_out_stands_nowhere() -> None:
    text = "".join(
        source_of(generate(seed, frozenset(FEATURES) - {"resources", "preemption", "opaque"})) for seed in range(30)
    )
    assert "request(" not in text
    assert "pool" in text


@pytest.mark.slow
def test_every_program_is_python_and_every_feature_and_statement_occurs() -> None:
    features: Counter[str] = Counter()
    statements: Counter[type] = Counter()
    expressions: Counter[type] = Counter()
    for seed in range(100):
        program = generate(seed)
        compile(source_of(program), f"seed {seed}", "exec", dont_inherit=True)
        features.update(program.features)
        parts = {type(part) for part in m.parts_of(program)}
        statements.update(parts & set(STATEMENTS))
        expressions.update(parts & set(m.Expr.__args__ + m.Test.__args__))  # type: ignore[attr-defined]  # of unions
    assert min(features[name] for name in FEATURES) >= 10
    assert sorted(kind.__name__ for kind in STATEMENTS if statements[kind] < 3) == []
    assert min(expressions[kind] for kind in expressions) >= 3
    assert len(expressions) == len(m.Expr.__args__ + m.Test.__args__)  # type: ignore[attr-defined]  # of unions


@pytest.mark.slow
def test_empty_bodies_are_python() -> None:
    empty: list[m.Statement] = []
    statements = [m.Loop(2, empty), m.If(m.Cmp("<", m.Num(1.0), m.Num(2.0)), empty, empty), m.Guarded(empty, "g")]
    kind = m.Class(0, "ramp", {"x": 0.0}, {}, handlers=[m.Handler("h", m.Cmp(">", m.Num(1.0), m.Num(2.0)), empty)])
    for style in ("generator", "class"):
        program = m.Program(
            0, 1.0, classes=[kind], processes=[m.Process(0, statements, style), m.Process(1, [], style)]
        )
        build = running.module_of(source_of(program))["build"]
        assert running.run(build, Setting(), 1.0)[0].error == ""


@pytest.mark.slow
def test_the_formula_of_an_input_stays_what_its_text_makes() -> None:
    """However small a program is made: else it would be another for the reference than for the library."""
    program = generate(3, frozenset({"inputs", "input_conditions", "handlers", "functions"}), has_all=True)
    known = {f.text: repr(f.value) for f in program.functions if f.text}
    assert len(known) == 2
    assert sum(1 for _ in edits(program)) > 100
    for edit in edits(program):
        changed = deepcopy(program)
        with suppress(LookupError, AttributeError, TypeError):
            edit(changed)
        assert all(known[f.text] == repr(f.value) for f in changed.functions if f.text)


# --- the reference ----------------------------------------------------------------------------------------------------


def oscillator(body: list[m.Statement], *, handlers: list[m.Handler] | None = None) -> m.Program:
    """An oscillator, x'' = -k x from x = 1, and a process."""
    x, v, k = (m.Read(("self", name)) for name in ("x", "v", "k"))
    force = m.Bin("*", m.Num(-1.0), m.Bin("*", k, x))
    rates = [m.Law(("self", "x"), v), m.Law(("self", "v"), force)]
    numbers = {"k": 4.0, "c": 0.0, "level": 0.0}
    kind = m.Class(0, "oscillator", {"x": 1.0, "v": 0.0}, numbers, rates=rates, handlers=handlers or [])
    one = m.Object("n0", 0, {"tag": 0.0}, {}, {})
    return m.Program(0, 4.0, classes=[kind], objects=[one], order=["n0"], processes=[m.Process(0, body)])


def below(level: float) -> m.Test:
    return m.Cmp("<", m.Read(("n0", "x")), m.Num(level))


def below_own(level: float) -> m.Test:
    return m.Cmp("<", m.Read(("self", "x")), m.Num(level))


def test_the_reference_agrees_with_a_solution_in_closed_form() -> None:
    log = m.Log("met", [m.Read(("n0", "x")), m.Read(("n0", "v"))])
    outcome = simulate(oscillator([m.Until(below(0.5), 0.0), log, m.Hold(m.Num(0.25)), log]))
    time = math.acos(0.5) / 2.0
    later = time + 0.25
    expected = [t for at in (time, later) for t in (at, math.cos(2.0 * at), -2.0 * math.sin(2.0 * at))]
    assert [label for label, *_ in outcome.log] == ["met", "met"]
    assert [number for _, *numbers in outcome.log for number in numbers] == pytest.approx(expected, abs=1e-10)
    assert outcome.values == [pytest.approx((math.cos(8.0), -2.0 * math.sin(8.0), 4.0, 0.0, 0.0), abs=1e-10)]


def test_what_observers_see_is_compared_as_well() -> None:
    """The state is cos 2t, the integral of its square t / 2 + sin 4t / 8, and that of 4 times it 2 sin 2t."""
    program = oscillator([m.Hold(m.Num(0.25))])
    expected = compare.expect(program)
    assert expected.outcome.area == pytest.approx(2.0 + math.sin(16.0) / 8.0 + 2.0 * math.sin(8.0), abs=1e-10)
    assert len(expected.outcome.rows) == math.floor(4.0 / float(m.GRID)) + 1
    for time, row in expected.outcome.rows.items():
        assert row == pytest.approx({"n0.x": math.cos(2.0 * time), "n0.v": -2.0 * math.sin(2.0 * time)}, abs=1e-10)
    result = Result(log=[], values=list(expected.outcome.values), area=expected.outcome.area + 1e-7)
    result.rows = {time: {"n0.x": row["n0.x"] + 1e-7} for time, row in expected.outcome.rows.items()}
    assert compare.judge(expected, result, Setting()) is None
    result.rows[float(m.GRID)]["n0.x"] += 1e-5
    assert "n0.x is" in str(compare.judge(expected, result, Setting()))
    result.area = expected.outcome.area + 1e-5
    assert "the integral is" in str(compare.judge(expected, result, Setting()))


def test_what_is_too_close_to_call_is_skipped() -> None:
    touches = m.Until(m.Cmp("<=", m.Read(("n0", "x")), m.Num(-1.0)), 0.0)
    with pytest.raises(Skip, match="touches its level"):
        simulate(oscillator([touches]))
    program = oscillator([m.Until(below(0.5), 0.0)])
    program.processes.append(m.Process(1, [m.Until(below(0.5), 0.0)]))
    with pytest.raises(Skip, match="too close to each other"):
        simulate(program)


def test_events_at_one_time_but_for_rounding_are_too_close_to_call() -> None:
    program = oscillator([m.Hold(m.Num(0.1)), m.Hold(m.Num(0.2))])
    program.processes.append(m.Process(1, [m.Hold(m.Num(0.3))]))
    with pytest.raises(Skip, match="at one time but for rounding"):
        simulate(program)


@pytest.mark.parametrize("is_one_way", [True, False])
def test_two_ways_of_counting_from_a_root_to_one_time_are_too_close_to_call(is_one_way: bool) -> None:
    """An eighth of a second is exact here, and would not be at a root that differs in its last bits."""
    wait = m.Until(below(0.5), 0.0)
    program = oscillator([wait, m.Hold(m.Num(0.125)), m.Hold(m.Num(0.125)), m.Log("one", [])])
    program.processes.append(m.Process(1, [wait, m.Hold(m.Num(0.25)), m.Log("other", [])]))
    if is_one_way:
        program.processes[1].body[1:2] = program.processes[0].body[1:3]
        log = simulate(program).log
        assert [label for label, _ in log] == ["one", "other"]
        assert log[0][1] == log[1][1]
    else:
        with pytest.raises(Skip, match="two events are at one time but for rounding"):
            simulate(program)


def test_an_event_and_a_jump_at_one_time_but_for_rounding_are_too_close_to_call() -> None:
    program = oscillator([m.Hold(m.Num(0.1)), m.Hold(m.Num(0.2))])
    value = m.Choice(m.Cmp("<=", m.Num(0.3), m.Read(("x",))), m.Num(1.0), m.Num(0.0))
    program.functions = [m.Function("law_d0", value, "ev.inputs.Step(0.3, 1.0)")]
    with pytest.raises(Skip, match="jump of an input are at one time but for rounding"):
        simulate(program)


def test_an_event_that_leads_onto_a_level_is_too_close_to_call() -> None:
    sets = m.Assign(("n0", "x"), "=", m.Num(0.5))
    with pytest.raises(Skip, match="leads onto a level"):
        simulate(oscillator([m.Hold(m.Num(0.1)), sets], handlers=[m.Handler("h", below_own(0.5), [])]))
    stays = oscillator([], handlers=[m.Handler("h", below_own(0.5), [m.Assign(("self", "x"), "=", m.Num(0.5))])])
    assert simulate(stays).events == 3  # of the process, and of the handler once a period
    swap: list[m.Statement] = [m.Swap(("self", "mate"), ("self", "other"))]
    twins = oscillator([], handlers=[m.Handler("h", m.Cmp("<", m.Read(("self", "mate", "x")), m.Num(0.5)), swap)])
    twins.classes[0].references = ["mate", "other"]
    twins.objects += [m.Object(name, 0, {"tag": 0.0}, {}, {}) for name in ("n1", "n2")]
    twins.classes.append(replace(twins.classes[0], index=1, handlers=[]))
    twins.classes[0].rates, twins.classes[0].states = [], {}
    for o in twins.objects:
        o.references |= {"mate": "n1", "other": "n2"}
        o.kind = 0 if o.name == "n0" else 1
    twins.order += ["n1", "n2"]
    with pytest.raises(Skip, match="leads onto a level"):  # both are equal, but for rounding elsewhere
        simulate(twins)
    swap[:] = [m.Rank(("self",), 1.0)]
    with pytest.raises(Skip, match="leads onto a level"):  # sums are added up in another order
        simulate(twins)
    swap[:] = [m.Swap(("self", "mate"), ("self", "other"))]
    own = oscillator([m.Hold(m.Num(0.1))], handlers=[m.Handler("h", below_own(0.5), swap)])
    own.classes[0].references = {"mate": 0, "other": 0}
    own.objects += [m.Object("n1", 0, {"tag": 0.0, "x": 0.0}, {"mate": "n0", "other": "n1"}, {})]
    own.objects[0].references = {"mate": "n0", "other": "n1"}
    assert simulate(own).events == 4  # what a condition is of has not been exchanged


def test_events_of_a_handler_that_accumulate_are_too_close_to_call() -> None:
    """What falls, x = 0.25 - t, is put to half the time that is left whenever it is at the level."""
    halves = [m.Assign(("self", "x"), "=", m.Bin("*", m.Num(0.5), m.Bin("-", m.Num(0.25), m.Time())))]
    program = oscillator([], handlers=[m.Handler("h", below_own(0.0), halves)])
    kind = program.classes[0]
    kind.states, kind.rates = {"x": 0.125}, [m.Law(("self", "x"), m.Num(-1.0))]
    program.objects[0].numbers = {"tag": 0.0, "x": 0.125}
    with pytest.raises(Skip, match="accumulate"):
        simulate(program)


def test_a_root_of_what_becomes_negative_is_too_close_to_call() -> None:
    """What falls, x = 0.25 - t, has a root up to 0.25; trial steps alone ask for one beyond an event."""
    program = oscillator([], handlers=[m.Handler("h", below_own(0.1), [m.Assign(("self", "x"), "=", m.Num(9.0))])])
    kind = program.classes[0]
    falls = m.Bin("+", m.Num(-1.0), m.Bin("*", m.Num(0.0), m.Call("sqrt", [m.Read(("self", "x"))])))
    kind.states, kind.rates = {"x": 0.25}, [m.Law(("self", "x"), falls)]
    program.objects[0].numbers = {"tag": 0.0, "x": 0.25}
    assert simulate(program).events == 2  # of the process, and of the handler
    kind.handlers = []
    with pytest.raises(Skip, match="a root of what is negative"):
        simulate(program)


def test_what_python_alone_can_test_has_to_last() -> None:
    """A third of a time unit is long enough, and a tenth too short, also where an event comes between."""
    x = m.Opaque(m.Read(("n0", "x")))
    for level, is_short in ((-0.95, False), (-0.995, True)):
        for delay in (3.0, 0.01):
            wakes = [m.Until(m.Cmp("<", x, m.Num(level)), 0.0), m.Log("below", [])]
            program = oscillator(wakes)
            program.processes.append(m.Process(1, [m.Hold(m.Num(math.acos(level) / 2.0 + delay))]))
            if is_short:
                with pytest.raises(Skip, match="a condition in Python changes twice in short time"):
                    simulate(program)
            else:
                assert [entry[0] for entry in simulate(program).log] == ["below"]


def test_what_python_alone_can_test_has_to_last_where_a_remainder_jumps() -> None:
    """It jumps to 0 at x = 1, and is above a half again after half a time unit, above a tenth after a tenth."""
    for level, is_short in ((0.5, False), (0.1, True)):
        rest = m.Whole("%", m.Opaque(m.Read(("n0", "x"))), 1.0)
        program = oscillator([m.Until(m.Cmp("<=", rest, m.Num(level)), 0.0), m.Log("met", [])])
        kind = program.classes[0]
        kind.states, kind.rates = {"x": 0.95}, [m.Law(("self", "x"), m.Num(1.0))]
        if is_short:
            with pytest.raises(Skip, match="a condition in Python changes twice in short time"):
                simulate(program)
        else:
            assert simulate(program).log == [("met", pytest.approx(0.05, abs=1e-11))]


@pytest.mark.parametrize("has_sums", [True, False])
def test_a_remainder_of_a_rate_where_laws_read_sums_has_to_last(has_sums: bool) -> None:
    """The rate of v is -4 cos 2 t, so that ten times that passes whole numbers soon after each other."""
    rest = m.Whole("%", m.Bin("*", m.Num(10.05), m.Rate(("n0", "v"))), 1.0)
    program = oscillator([m.Until(m.Cmp("<=", rest, m.Num(0.5)), 0.0), m.Log("met", [])])
    program.classes[0].sums = ["total"] if has_sums else []
    if has_sums:
        with pytest.raises(Skip, match="a condition in Python changes twice in short time"):
            simulate(program)
    else:
        assert [entry[0] for entry in simulate(program).log] == ["met"]


def test_a_law_that_jumps_is_integrated_exactly() -> None:
    program = oscillator([])
    jumps = m.Choice(m.Cmp("<", m.Read(("self", "x")), m.Num(1.3)), m.Num(1.0), m.Num(0.1))
    program.classes[0].rates = [m.Law(("self", "x"), jumps)]
    assert simulate(program).values[0][0] == pytest.approx(1.3 + 0.1 * 3.7, abs=1e-11)


@pytest.mark.slow
def test_a_state_slides_while_both_sides_lead_back() -> None:
    """It falls by 1 - t / 4 to its surface, is held there until t / 4 is 1, and rises."""
    program = oscillator([m.Hold(m.Num(3.0)), m.Log("slides", [m.Read(("n0", "x"))])])
    kind, program.end = program.classes[0], 6.0
    kind.surface, kind.states, program.objects[0].numbers["x"] = m.Surface(0.25, 1.0), {"x": 1.25}, 1.25
    force = m.Bin("*", m.Num(0.25), m.Time())
    kind.rates = [m.Law(("self", "x"), m.Bin("+", force, m.Read(("self", "side"))))]
    for start in (1.25, 0.25, 0.0):
        program.objects[0].numbers["x"] = start
        outcome = simulate(program)
        assert outcome.log == [("slides", 3.0, 0.25)]
        assert outcome.values[0][0] == pytest.approx(0.75, abs=1e-10)
    program.processes[0].body.insert(1, m.Assign(("n0", "x"), "+=", m.Num(-0.1)))  # it is back after 4 / 70 or so
    assert simulate(program).values[0][0] == pytest.approx(0.75, abs=1e-10)


@pytest.mark.parametrize("word", ["floor", "ceil", "round", "numpy", "//", "%"])
def test_whole_numbers_are_followed_from_one_to_the_next(word: str) -> None:
    """A ramp x = 2 t - 1.7: where a whole number made of it becomes large, or a remainder small."""
    whole = m.Whole(word, m.Read(("n0", "x")), 0.5 if word in {"//", "%"} else 1.0)
    level = m.Num({"%": 0.25, "//": 2.5}.get(word, 1.5))
    log = m.Log("above", [m.Read(("n0", "x"))])
    program = oscillator([m.Until(m.Cmp("<" if word == "%" else ">", whole, level), 0.0), log])
    program.classes[0].states, program.objects[0].numbers = {"x": -1.7}, {"tag": 0.0}
    program.classes[0].rates = [m.Law(("self", "x"), m.Num(2.0))]
    values = {"floor": [2.0], "numpy": [2.0], "ceil": [1.0], "round": [1.5], "//": [1.5], "%": [-1.5]}[word]
    assert [x for _, _, x in simulate(program).log] == pytest.approx(values, abs=1e-10)


def test_a_passage_is_met_from_the_other_side_only() -> None:
    passage = m.Crosses(m.Read(("n0", "x")), m.Num(0.5), "up")
    log = m.Log("passed", [m.Read(("n0", "v"))])
    outcome = simulate(oscillator([m.Until(passage, 0.0), log]))
    time = (2.0 * math.pi - math.acos(0.5)) / 2.0
    (entry,) = outcome.log
    assert entry == ("passed", pytest.approx(time, abs=1e-10), pytest.approx(-2.0 * math.sin(2.0 * time), abs=1e-9))
    either = oscillator([], handlers=[m.Handler("h", replace(passage, value=m.Read(("self", "x")), direction="either"),
        [m.Log("handled", [])])])  # fmt: skip
    times = [math.acos(0.5) / 2.0, time, (2.0 * math.pi + math.acos(0.5)) / 2.0]
    assert [entry[2] for entry in simulate(either).log] == pytest.approx(times, abs=1e-10)


def test_a_vector_is_a_chain_of_delays() -> None:
    program = oscillator([m.Hold(m.Num(1.0)), m.WriteItem(("n0", "u"), 1, m.Num(0.5)), m.Hold(m.Num(1.0)),
        m.Log("items", [m.Read(("n0", "u[0]")), m.Read(("n0", "u[1]")), m.Total(("n0", "u"), 2)])])  # fmt: skip
    program.classes[0].vector = m.Vector([1.0, 0.0], 2.0, m.Num(0.0))
    ((_, _, first, second, total),) = simulate(program).log
    assert first == pytest.approx(math.exp(-4.0), abs=1e-10)
    assert second == pytest.approx(4.0 * math.exp(-4.0) + 0.5 * math.exp(-2.0), abs=1e-10)
    assert total == first + second


@pytest.mark.slow
def test_inputs_of_the_reference_are_those_of_the_library() -> None:
    for seed in range(40):
        made = Maker(seed, frozenset({"inputs"}))
        given = made.input("law_d0")
        times = [0.0003 + 0.01 * k for k in range(int(100 * made.made.end))]
        theirs = eval(given.text, {"ev": ev})  # noqa: S307  # it was made here
        ours = eval(f"lambda x: {Words().expr(given.value)}", {"math": math})  # noqa: S307  # it was made here
        assert [ours(t) for t in times] == pytest.approx([theirs(t) for t in times], abs=1e-12)


def unsound() -> m.Program:
    """A class that sets a rate by what it computes after it; its object starts at 1.0, in an event with two entries."""
    entries = [m.Log("before", []), m.Toggle(("n0",)), m.Log("after", [])]
    program = oscillator([m.Log("first", []), m.Hold(m.Num(1.0)), *entries, m.Hold(m.Num(1.0)), m.Log("never", [])])
    kind = program.classes[0]
    kind.computed, kind.late = ["q"], True
    kind.values = [m.Law(("self", "q"), m.Read(("self", "x")))]
    kind.rates[1] = m.Law(("self", "v"), m.Read(("self", "q")))
    program.order, program.objects[0].starts = [], False
    return program


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["some", "plain"])
def test_laws_that_have_to_be_refused_are_and_others_are_not(mode: str) -> None:
    settings, pairs = compare.plan(1, mode=mode, threads=False)
    program = unsound()
    assert simulate(program).log == [("first", 0.0), ("before", 1.0), ("after", 1.0)]
    assert compare.examine(program, settings, pairs).findings == []
    sound = unsound()
    sound.classes[0].late = False
    assert compare.examine(sound, settings, pairs).findings == []


def test_who_refuses_too_much_or_too_little_or_too_early_is_found() -> None:
    expected, sound = compare.expect(unsound()), compare.expect(oscillator([]))
    log = expected.outcome.log
    error = "UnsoundLaw: n0.equations reads n0.q"
    for entries in (1, 2, 3):
        assert compare.judge(expected, Result(log[:entries], error=error), Setting()) is None
    wrong = [
        (expected, Result(log, [])),
        (expected, Result([], error=error)),
        (expected, Result(log, error="OSError: x")),
    ]
    found = [compare.judge(*case, Setting()) for case in [*wrong, (sound, Result(error=error))]]
    assert [one.kind if one else None for one in found] == ["refusal", "refusal", "refusal", "error"]


def test_conditions_call_inputs_and_what_follows_is_known() -> None:
    features, found = frozenset({"inputs", "input_conditions", "handlers", "hold", "until"}), 0
    for seed in range(30):
        parts = m.parts_of([kind.handlers for kind in generate(seed, features, has_all=True).classes])
        found += sum(isinstance(one, m.Apply) and one.path == ("self", "drive") for one in parts)
        others = m.parts_of([kind.handlers for kind in generate(seed, features - {"input_conditions"}).classes])
        assert not any(isinstance(one, m.Apply) for one in others)
    assert found > 10
    program = oscillator([])
    program.classes[0].functions = {"drive": "law_d0"}
    jump = m.Choice(m.Cmp("<=", m.Num(1.25), m.Read(("x",))), m.Num(1.0), m.Num(0.0))
    program.functions = [m.Function("law_d0", jump, "ev.inputs.Step(1.25, 1.0)")]
    test = m.Cmp(">", m.Apply(("self", "drive"), m.Time()), m.Num(0.5))
    program.classes[0].handlers = [m.Handler("h", test, [m.Log("jumped", [])])]
    program.objects[0].numbers["tag"] = 7.0
    assert simulate(program).log == [("jumped", 7.0, pytest.approx(1.25, abs=1e-12))]


def test_time_that_is_given_to_an_input_stays_the_time_in_what_is_made_small() -> None:
    program = oscillator([])
    test = m.Cmp(">", m.Apply(("self", "drive"), m.Time()), m.Bin("+", m.Time(), m.Num(0.5)))
    program.classes[0].handlers = [m.Handler("h", test, [m.Log("jumped", [])])]
    small = shrink(program, lambda p: any(isinstance(one, m.Apply) for one in m.parts_of(p)), 20.0)
    assert [one.argument for one in m.parts_of(small) if isinstance(one, m.Apply)] == [m.Time()]


def work(duration: float, priority: float, label: str, *, preempts: bool = True, resumes: bool = True) -> m.Work:
    return m.Work("bench", priority, duration, preempts, resumes, label)


@pytest.mark.slow
def test_units_are_taken_from_the_lowest_and_latest_and_work_goes_on_with_what_is_left() -> None:
    program = oscillator([work(3.0, 0.0, "a")])
    program.resources, program.end = {"bench": 2}, 20.0
    stories: list[list[m.Statement]] = [
        [m.Hold(m.Num(0.5)), work(3.0, 0.0, "b", resumes=False)],
        [m.Hold(m.Num(1.0)), work(1.0, 1.0, "c", preempts=False)],
        [m.Hold(m.Num(1.5)), work(1.0, 1.0, "d")],
        [m.Hold(m.Num(1.75)), work(1.0, 2.0, "e")],
    ]
    program.processes += [m.Process(k, story) for k, story in enumerate(stories, start=1)]
    entries = [
        ("a", 0.0, "served"), ("b", 0.5, "served"), ("e", 1.75, "served"), ("b", 1.75, "preempted", 1.75),
        ("e", 2.75, "done"), ("a", 2.75, "preempted", 0.25), ("c", 2.75, "served"), ("d", 2.75, "served"),
        ("c", 3.75, "done"), ("d", 3.75, "done"), ("a", 3.75, "served"), ("a", 4.0, "done"),
    ]  # fmt: skip
    assert simulate(program).log == entries
    assert running.run(running.module_of(source_of(program))["build"], Setting(compiled=False), 20.0)[0].log == entries


def held(duration: float) -> m.Hold:
    return m.Hold(m.Num(duration))


def logs_of(program: m.Program) -> list[list[tuple[object, ...]]]:
    """The entries of the reference and of the library, in Python, with times of few digits."""
    entries = [simulate(program).log]
    build = running.module_of(source_of(program))["build"]
    entries.append(running.run(build, Setting(compiled=False), program.end)[0].log)
    return [[tuple(round(x, 6) if isinstance(x, float) else x for x in entry) for entry in log] for log in entries]


def test_events_of_a_process_are_moved_and_taken_back() -> None:
    """A wait for a condition that is roused ends without it; who is cancelled waits until he is activated again."""
    rouses = [("activate", 0.05), ("activate", 0.1), ("cancel", None), ("reactivate", 0.2), ("activate", 9.0)]
    body = [part for word, delay in rouses for part in (held(0.125), m.Rouse(1, word, delay))]
    ends: list[m.Statement] = [
        held(0.375),
        m.Rouse(1, "cancel_state_event", None),
        held(1.0),
        m.Rouse(1, "reactivate", None),
    ]
    story = [
        m.Passivate(), m.Log("awake", []), m.Met(below(0.9), "met"), m.Met(below(-0.5), "met"), held(1.0),
        m.Log("on", []), m.Met(below(-0.95), "met"),
    ]  # fmt: skip
    program = oscillator([*body, *ends])
    program.processes.append(m.Process(1, story))
    met = round(math.acos(0.9) / 2.0, 6)
    entries = [("awake", 0.175), ("met", met, "met"), ("met", 0.35, "roused"), ("on", 0.7), ("met", 2.0, "roused")]
    assert logs_of(program) == [entries, entries]


def test_of_several_things_the_first_counts_and_no_other_is_taken() -> None:
    late = m.Cmp(">", m.Time(), m.Num(9.0))
    program = oscillator(
        [
            m.FirstOf(late, 0.5, "first", "tank"),
            m.FirstOf(late, 5.0, "first", "shelf"),
            m.Log("left", [m.Stock("tank"), m.Stock("shelf")]),
        ]
    )
    program.tanks, program.stores = {"tank": 0.25}, ["shelf"]
    story = [held(0.75), m.Pour("tank", 0.5), m.Put("shelf", m.Num(7.0)), m.Put("shelf", m.Num(8.0))]
    program.processes += [
        m.Process(1, story),
        m.Process(2, [m.Until(m.Cmp(">", m.Stock("tank"), m.Num(0.5)), 0.0), m.Log("full", [])]),
    ]
    entries = [("first", 0.5, "late"), ("first", 0.75, "more"), ("left", 0.75, 0.75, 1.0), ("full", 0.75)]
    assert logs_of(program) == [entries, entries]


def test_what_a_main_program_does_between_two_runs_comes_before_the_events_of_that_time() -> None:
    x, v = ("n0", "x"), ("n0", "v")
    log = m.Log("x", [m.Read(x)])
    program = oscillator([held(0.5), log, held(0.5), log])
    program.pauses = [m.Pause(0.5, [log, m.Assign(x, "=", m.Num(1.0)), m.Assign(v, "=", m.Num(0.0))])]
    entries = [("x", 0.5, round(math.cos(1.0), 6)), ("x", 0.5, 1.0), ("x", 1.0, round(math.cos(1.0), 6))]
    assert logs_of(program) == [entries, entries]


def test_a_state_that_stands_still_has_a_rate_for_others_only() -> None:
    x, v, time = ("n0", "x"), ("n0", "v"), math.acos(0.5) / 2.0
    log = m.Log("x", [m.Read(x), m.Read(v), m.Rate(x)])
    program = oscillator(
        [m.Until(below(0.5), 0.0), log, m.Freeze(v), held(0.25), log, m.Freeze(v), held(0.25), m.Log("x", [m.Read(x)])]
    )
    slope = -2.0 * math.sin(2.0 * time)
    before, between = (0.5, slope, slope), (0.5 + 0.25 * slope, slope, slope)
    later = between[0] * math.cos(0.5) + 0.5 * slope * math.sin(0.5)
    rows = [("x", time, *before), ("x", time + 0.25, *between), ("x", time + 0.5, later)]
    entries = [tuple(round(part, 6) if isinstance(part, float) else part for part in row) for row in rows]
    assert logs_of(program) == [entries, entries]


# --- findings ---------------------------------------------------------------------------------------------------------


def wrong_runs(build: object, setting: Setting, end: float) -> list[Result]:
    """Runs of a library in which every second state event is lost, in compiled runs only."""
    result = running.run(build, setting, end)[0]
    if setting.compiled:
        result.log = [entry for k, entry in enumerate(result.log) if k != 1]
    return [result]


@pytest.mark.slow
def test_a_right_library_has_no_findings_and_a_wrong_one_has() -> None:
    log = m.Log("met", [m.Read(("n0", "x"))])
    program = oscillator([m.Loop(3, [m.Until(below(0.5), 0.0), log, m.Hold(m.Num(0.7))])])
    program.features = ["rows"]
    settings, pairs = compare.plan(1, threads=False)
    report = compare.examine(program, settings, pairs)
    assert report.findings == []
    assert len(report.runs) == len(settings)
    assert report.comparisons == len(settings) + len(pairs)
    findings = compare.examine(program, settings, pairs, wrong_runs).findings
    assert {f.kind for f in findings} == {"events", "bits of plain", "bits of rows"}


def test_values_are_compared_as_closely_as_they_are_known() -> None:
    program = oscillator([m.Hold(m.Num(1.0)), m.Log("held", [m.Read(("n0", "x"))])])
    expected = compare.expect(program)
    right = Result(expected.outcome.log, expected.outcome.values)
    assert compare.judge(expected, right, Setting()) is None
    label, time, value = expected.outcome.log[0]
    for error, kind in ((1e-8, None), (1e-4, "values")):
        found = compare.judge(expected, replace(right, log=[(label, time, value + error)]), Setting())
        assert (found.kind if found else None) == kind


@pytest.mark.slow
def test_a_finding_is_made_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def runs(build: object, setting: Setting, end: float) -> list[Result]:
        """A library that takes each hold for 1 % longer."""
        result = running.run(build, setting, end)[0]
        result.log = [(e[0], e[1] * 1.01, *e[2:]) if e[0].startswith("process") else e for e in result.log]
        return [result]

    monkeypatch.setattr(hunt, "timed_run", runs)
    seed, features = 5, frozenset({"hold", "parameters", "every", "resources", "references", "handlers"})
    program = generate(seed, features)
    report = compare.examine(program, [Setting()], [], runs)
    assert [f.kind for f in report.findings] == ["values"]
    small = shrink(program, lambda p: hunt.fails_alike(p, report.findings[0]), 60.0)
    assert hunt.fails_alike(small, report.findings[0])
    assert len(source_of(small)) < 0.5 * len(source_of(program))
    assert sum(isinstance(part, STATEMENTS) for part in m.parts_of(small)) <= 4
    path = hunt.write_script(small, report.findings[0], tmp_path)
    script = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert (script.returncode, script.stderr) == (0, "")
    assert "process" in script.stdout


def test_a_program_that_is_made_shorter_has_no_pause_behind_its_end() -> None:
    program = oscillator([held(0.5)])
    program.pauses = [m.Pause(time, []) for time in (0.5, 2.5)]
    next(edits(program))(program)
    assert (program.end, [pause.time for pause in program.pauses]) == (1.0, [0.5])


@pytest.mark.slow
def test_processes_of_programs_become_rows() -> None:
    taken = 0
    for seed in range(4):
        program = generate(seed, frozenset({"rows", "until", "hold", "parameters", "resources"}), has_all=True)
        result = running.run(running.module_of(source_of(program))["build"], Setting(rows="rows"), program.end)[0]
        assert result.error == ""
        taken += result.taken
    assert taken > 100


@pytest.mark.slow
@pytest.mark.parametrize("observed", ["recorded", *running.FAILING])
def test_scripts_of_two_settings_run_both_to_the_end(observed: str, tmp_path: Path) -> None:
    program = generate(0, frozenset({"halts", "hold", "parameters"}), has_all=True)
    settings = (Setting("RADAU", rows="rows"), Setting("RADAU", compiled=False, observed=observed, eager=True))
    path = tmp_path / "script.py"
    path.write_text(script_of(program, compare.Finding("bits of plain", settings, "two\nlines"), None))
    script = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert script.stdout.splitlines()[-1].startswith(f"{len(simulate(program).log) - 1} ")


def test_breaks_are_of_lines_that_are_there() -> None:
    for broken in breaks.load_breaks():
        text = (breaks.ROOT / broken.file).read_text(encoding="utf-8")
        assert broken.applied(text) != text
        assert set(filter(None, broken.features.split(","))) <= {*FEATURES, *errand_runs.KINDS}


LATER = {
    "rates_read", "rate_conditions", "vector_conditions", "sum_conditions", "function_conditions", "stock_conditions",
    "races", "freezes", "rouses", "handler_stops", "handler_interrupts", "pauses",
    "causes", "ends", "halts", "tolerances", "ranks", "capacities", "moves", "shifts", "rows", "differences",
    "meetings", "turn_meetings", "suspensions", "nested",
}  # fmt: skip
"""What programs were not made of when these seeds were found."""


@pytest.mark.slow
def test_the_correction_of_a_slide_does_not_grow_where_an_implicit_method_refuses_steps() -> None:
    program = generate(930520, frozenset(FEATURES) - LATER)
    report = compare.examine(program, [Setting("RADAU")], [])
    assert [(finding.kind, finding.text) for finding in report.findings] == []


@pytest.mark.slow
def test_a_passage_that_is_taken_back_at_its_instant_is_too_close_to_call() -> None:
    program = generate(930564, frozenset(FEATURES) - LATER)
    with pytest.raises(Skip, match=r"takes back a passage|leads onto a level"):
        compare.expect(program)
