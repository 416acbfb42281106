"""The text of a kernel: states with their lines, what Python goes on with at each, and what a row keeps of it all."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import TYPE_CHECKING, Final

from eventide.bodies.arithmetic import fitted, kind_for
from eventide.bodies.emission import Emission
from eventide.bodies.expressions import BodyExpressions
from eventide.bodies.frames import Frame
from eventide.bodies.handlers import Handlers
from eventide.bodies.operands import NOTHING, VARYING, Operand, Unknown, sure
from eventide.bodies.points import Block, Choice, Loop, Point, PythonCall, Told
from eventide.bodies.waits.closures import places_of, private_numbers
from eventide.reading.nodes import Extent, extent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FunctionType

    from eventide.bodies.emission import Result
    from eventide.bodies.naming import Conditions, Naming
    from eventide.bodies.operands import Kind
    from eventide.reading.source import Definition
    from eventide.reading.twins import Twin

MOST_BLOCKS: Final = 200
_WAITS: Final = (
    "code = hold(",
    "hold_until(",
    "join(",
    "ask(",
    "branch_holds(",
    "branch_joins(",
    "spawn(",
    "watch_for(",
    "transfer(",
    "_item(",
    "branch_watches(",
)
"""What the lines of a kernel have where it begins a wait, or what counts like one."""
_TOLD: Final = re.compile(r"told_[wr]\d+$")
"""The variables of the kernel for what Python is told where it goes on amid a statement: only that reads them."""


class Writing:
    """A kernel that is written state by state, for certain types of the variables of a body.

    frame       the function whose text is read; that of the body before and after
    kinds       of the variables that native code sets or reads; None for one whose type changes
    points      by the number of the state
    resumes     by the extents in the texts of a `yield`, and of each `yield from` that leads to it: the state in which
                it is waited there
    extents     the other way round, of each `yield`
    blocks      the lines of each state
    asks        what is left to Python: the node and the reason, by the number of the state
    python_calls    the calls that Python makes while a process stays in its row, by the number of the state
    spawns      the statements that make processes: the node and variables of the kernel, by the number of the state
    awaits      the variables with the guards of waits for states, by the states in which these are waited for
    choices     the waits for the first of several things, by their numbers
    changed     whether new types were found, so that it has to be read again
    """

    def __init__(self, tree: ast.FunctionDef, twin_of: Callable[[FunctionType], Twin], naming: Naming) -> None:
        naming.keep_private(private_numbers(BodyExpressions(naming, Emission(0)), tree))
        self.frame = Frame(naming, twin_of(naming.function), tree, None, None)
        self.frames = [self.frame]
        self.points: dict[int, Point] = {}
        self.resumes: dict[tuple[Extent, ...], int] = {}
        self.extents: dict[int, tuple[int, int, int, int]] = {}
        self.asks: dict[int, tuple[ast.AST, str]] = {}
        self.python_calls: dict[int, PythonCall] = {}
        self.spawns: dict[int, tuple[ast.stmt, list[str]]] = {}
        self.loops: list[Loop] = []
        self.choices: dict[int, Choice] = {}
        self.awaits: dict[int, str] = {}
        self.changed = False
        self.blocks: dict[int, list[str]] = {0: []}
        self._lines: list[str] | None = self.blocks[0]
        self._states = 0
        self._temporaries = 0
        self._told_columns = {"w": 0, "r": 0}
        """Of whole numbers and floats, how many Python is told at most where it goes on amid a statement."""
        self._around: list[Loop] = []
        self._blocks_around: list[Block] = []
        self._handlers = Handlers(naming, tree)
        self._targets: list[tuple[int, int, int]] = []
        self._twin_of = twin_of

    @property
    def naming(self) -> Naming:
        """What the names mean in the text that is read."""
        return self.frame.naming

    # --- states and blocks ----------------------------------------------------------------------------------------

    def _place(self, node: ast.AST) -> int:
        twin = self.frame.twin
        place = twin.places.get(node)
        if place is None:
            why = twin.closed.get(node, "no twin begins there")
            raise twin.definition.refusal(node, why)
        return place

    def _first(self, statements: Sequence[ast.stmt]) -> ast.stmt:
        """The first statement but declarations, which do nothing."""
        return next((one for one in statements if not isinstance(one, ast.Global | ast.Nonlocal)), statements[0])

    def _new(self) -> int:
        self._states += 1
        if len(self.blocks) > MOST_BLOCKS:
            raise Unknown("it has too many statements")
        return self._states

    def _point(self, node: ast.AST) -> int:
        """A state in which Python can continue at a node."""
        state = self._new()
        self.points[state] = self._here(node)
        return state

    def _here(self, node: ast.AST) -> Point:
        frame = self.frame
        blocks, handlers = tuple(self._blocks_around[frame.blocks :]), self._handlers.around[frame.handlers :]
        choices = tuple(self.naming.outcomes.values())
        return Point(self._place(node), frame, tuple(self._around), blocks, handlers, frame.standing, choices)

    def _waiting(self, command: ast.Yield) -> int:
        """A state at a `yield`; a process that handles two interrupts does not become a row there."""
        state = self._point(command)
        self.extents[state] = extent(command)
        if len(self._handlers.around) < 2:
            self.resumes[*self.frame.extents, extent(command)] = state
        return state

    def _resume(self, state: int) -> None:
        """Continue with the block of a state behind a wait."""
        self._start(state)
        self._add(self._handlers.delivery(state, self._blocks_around))

    def _add(self, text: str) -> None:
        if self._lines is not None:
            self._lines.append(text)

    def _jump(self, state: int) -> None:
        self._add(f"at = {state}\ncontinue")
        self._lines = None

    def _start(self, state: int) -> None:
        """Continue with the block of a state; the block before it falls into it."""
        if self._lines is not None:
            self._jump(state)
        self._lines = self.blocks[state] = []
        self.naming.present = set()

    def _come_again(self, state: int) -> None:
        """The kernel itself continues here after it has stopped at this state until a table has grown."""
        present = self.naming.present
        self._start(state)
        self.naming.present = present

    @property
    def _tables(self) -> Conditions:
        """What only grows as statements are read."""
        numbered = self.points, self.extents, self.asks, self.spawns, self.blocks, self.choices, self.awaits
        return (*numbered, self.resumes, self.naming.requests, self.naming.children)

    def _leave_blocks(self, kept: int) -> None:
        """Leave the innermost blocks, all but this many."""
        for block in reversed(self._blocks_around[kept:]):
            self._add(f"leave(a, q_{block.name})\nq_{block.name} = -1")

    # --- statements -----------------------------------------------------------------------------------------------

    def _run(self, statements: Sequence[ast.stmt]) -> bool:
        """Some statements; whether anything leads behind them."""
        raise NotImplementedError

    def _attempt(self, statement: ast.stmt, write: Callable[[BodyExpressions], object], *, is_last: bool = True) -> int:
        """Write the lines of a statement and return its state; 0 if it is left to Python.

        is_last     False: what cannot be written so is tried in another way, and leaves nothing behind
        """
        state = self._point(statement)
        emission = Emission(self._temporaries)
        noted, used = self.naming.noted(), {*self.naming.used}
        try:
            write(BodyExpressions(self.naming, emission))
        except Unknown as unknown:
            if not is_last:
                self.naming.take_back(noted)
                self.naming.used.intersection_update(used)
                del self.points[state]
                return 0
            self.naming.leave_to_python(noted)
            self._leave(statement, state, str(unknown), unknown.node)
            return 0
        self._temporaries = emission.used
        if emission.prototypes:
            self.spawns[state] = statement, emission.prototypes
        if any("ROOM" in line for line in emission.lines):
            self._come_again(state)
        self._add_lines(state, emission)
        return state

    def _add_lines(self, state: int, emission: Emission) -> None:
        """Add those of a statement, at which Python can go on."""
        lines = emission.settled(partial(self._told, state))
        if any("break" in line for line in lines):
            self._add(f"at = {state}")
        for line in lines:
            self._add(line)

    def _told(self, state: int, results: Sequence[Result]) -> str:
        """The lines by which Python goes on at a state with what expressions of its statement have given."""
        told: list[Told] = []
        counts, lines, here = {"w": 0, "r": 0}, [], self._new()
        for node, number in results:
            columns: list[str] = []
            texts = [number.text] if number.kind in ("float", "mixed") else [f"int({number.text})"]
            for text in [*texts, *([f"int({number.whole})"] if number.whole else [])]:
                table = "r" if number.kind in ("float", "mixed") and not columns else "w"
                columns.append(f"told_{table}{counts[table]}")
                counts[table] += 1
                lines.append(f"{columns[-1]} = {text}")
            told.append(Told(node, number.kind, number.is_numpy, *columns))
        self._told_columns = {table: max(count, self._told_columns[table]) for table, count in counts.items()}
        self.points[here] = self.points[state]._replace(told=tuple(told))
        return "\n".join([*lines, f"at = {here}"])

    def _leave(self, statement: ast.stmt, state: int, why: str, node: ast.AST | None = None) -> None:
        """Python executes a statement."""
        is_here = any(node is inner for inner in ast.walk(statement))  # and not in a function that it calls
        self.asks[state] = node if node is not None and is_here else statement, why
        self._add(f"at = {state}\ncode = EXIT\nbreak")
        self._lines = None
        call, frame = statement.value if isinstance(statement, ast.Expr) else None, self.frame
        if not isinstance(call, ast.Call) or frame.call is not None or self._handlers.around:
            return
        if (code := frame.twin.carrier_of(call)) is not None:
            self.python_calls[state] = PythonCall(call, code, self._point(call), behind := self._new())
            self._start(behind)

    def _set(self, target: ast.expr, operand: Operand) -> str:
        """The lines that give a variable a value."""
        if not isinstance(target, ast.Name) or target.id not in self.naming.own:
            raise Unknown("only plain variables of its own are set by native code", target)
        name, naming = self.naming.key(target.id), self.naming
        of_new = operand.kind if target.id not in naming.values or operand.kind == "object" else None
        is_none = naming.values[target.id] is None if target.id in naming.values else operand.none == "True"
        is_argument = target.id in naming.arguments
        line = self._kept(name, operand, "none" if is_none and not is_argument else of_new, target)
        if naming.among.setdefault(name, operand.among) != operand.among:
            raise Unknown("it is one of other objects than elsewhere", target)
        if operand.sample is not None:
            naming.samples.setdefault(name, operand.sample)
        naming.used.add(name)
        return line if is_argument else f"{line}\nh_{name} = 1"

    def _kept(self, name: str, operand: Operand, of_new: Kind | None, node: ast.AST) -> str:
        """The lines that give a variable a value, and its kind if that is new. Raises Unknown where that changes."""
        kinds, is_argument = self.naming.kinds, isinstance(node, ast.Name) and node.id in self.naming.arguments
        known = kinds.get(name, of_new)
        operand = fitted(operand, known)
        if known != operand.kind:
            self.changed = self.changed or name not in kinds or kinds[name] is not None
            kind = None if is_argument else kind_for(known, operand)
            kinds[name] = kind if kind != known else None
            raise Unknown("its type changes", node)
        if name not in kinds:
            kinds[name], self.changed = known, True
        which = f"int({operand.whole})" if operand.whole else "0"
        if operand.none:
            which = str(NOTHING) if operand.none == "True" else f"({NOTHING} if {operand.none} else {which})"
        return f"v_{name} = {operand.text}" + (f"\ni_{name} = {which}" if known in VARYING else "")

    def _given(self, *targets: ast.expr) -> None:
        """These variables have values from here on."""
        self.naming.present.update(target.id for target in targets if isinstance(target, ast.Name))

    def _texts_behind(self, *states: int) -> Iterator[str]:
        """The lines of the blocks to which some states lead without Python, theirs first."""
        waiting = dict.fromkeys(states)
        for state in (pending := [*waiting]):
            yield (text := "\n".join(self.blocks[state]))
            found = [other for other in map(int, re.findall(r"at = (\d+)", text)) if other in self.blocks]
            pending += [other for other in dict.fromkeys(found) if other not in waiting]
            waiting.update(dict.fromkeys(found))

    @property
    def goes_on(self) -> bool:
        """Whether native code may come from one wait, or from its beginning, to the next without Python."""
        return any(word in text for text in self._texts_behind(0, *self.resumes.values()) for word in _WAITS)

    def stopped(self) -> tuple[Definition, ast.AST, str] | None:
        """The first statement left to Python, behind a wait if there is one: its function, where it stands, and why."""
        for text in self._texts_behind(*self.resumes.values() or (0,)):
            for state in map(int, re.findall(r"at = (\d+)\ncode = EXIT", text)):
                if state in self.asks:
                    return self.points[state].frame.twin.definition, *self.asks[state]
        return None

    # --- the text -------------------------------------------------------------------------------------------------

    def text(self, name: str) -> str:
        """The kernel."""
        wholes, reals = self.columns()
        loads, stores = [], []
        for table, texts in (("wholes", wholes), ("reals", reals)):
            for k, text in enumerate(texts):
                if text[:2] == "u_" or _TOLD.match(text):  # these are written where they are needed
                    continue
                item = f"a.{table}[{table[0]} + {k}]"
                is_truth = text[:2] == "v_" and sure(self.naming.kinds[text[2:]]) == "bool"
                loads.append(f"{text} = {f'bool({item})' if is_truth else item}")
                if text[:2] not in ("c_", "g_") or text in self.naming.guards:  # a guard may be taken
                    stores.append(f"{item} = {f'int({text})' if is_truth else text}")
        if self.optional:
            loads += [f"h_{variable} = has - has // 2 * 2\nhas = has // 2" for variable in self.optional]
            stores.insert(0, f"has = {' + '.join(f'h_{name} * {2**k}' for k, name in enumerate(self.optional))}")
        parts: list[str] = []
        for state, lines in self.blocks.items():
            body = "\n".join(lines) or "code = EXIT\nbreak"
            parts.append(f"{'el' if parts else ''}if at == {state}:\n{_indented(body)}")
        parts.append("else:\n    code = EXIT\n    break")
        machine = _indented("\n".join(parts))
        for table, texts in (("wholes", wholes), ("reals", reals)):
            for text in filter(_TOLD.match, texts):
                machine = machine.replace(f"{text} =", f"a.{table}[{table[0]} + {texts.index(text)}] =")
        begin = [
            "at = a.activity.at[i]",
            "w = a.activity.wholes[i]",
            "r = a.activity.reals[i]",
            "code = EXIT",
            "turns = 0",
            *loads,
        ]
        freed = "\n".join(f"    release_row(a, p_{name})\n    p_{name} = -1" for name in self.naming.children)
        ends = [f"if code == ENDS:\n{freed}"] if freed else []
        lines = [*begin, f"while True:\n{machine}", *ends, *stores, "a.activity.at[i] = at", "return code"]
        return f"def {name}(a: Rows, i: int) -> int:\n{_indented(chr(10).join(lines))}\n"

    @property
    def optional(self) -> list[str]:
        """The variables that native code knows and that may have no value."""
        return [name for name in self.known if name not in self.naming.certain]

    @property
    def known(self) -> list[str]:
        """The variables that native code reads or sets."""
        return [name for name, kind in self.naming.kinds.items() if kind and name in self.naming.used]

    def columns(self) -> tuple[list[str], list[str]]:
        """The variables of the kernel that a row keeps: whole numbers, and floats.

        The arguments come first, so that their places are known where a process is made.
        """
        naming, known = self.naming, self.known
        wholes, reals = naming.given_columns()
        given = {*wholes, *reals}
        wholes += ["has"] if self.optional else []
        wholes += [f"told_w{k}" for k in range(self._told_columns["w"])]
        reals += [f"told_r{k}" for k in range(self._told_columns["r"])]
        for name in known:
            if f"v_{name}" not in given:
                (reals if sure(naming.kinds[name]) in ("float", "mixed") else wholes).append(f"v_{name}")
            if naming.kinds[name] in VARYING and f"i_{name}" not in given:
                wholes.append(f"i_{name}")
        for loop in self.loops:
            wholes += [f"n_{loop.number}", f"s_{loop.number}"]
        wholes += [f"q_{name}" for name in naming.requests]
        wholes += [f"p_{name}" for name in naming.children]
        wholes += [f"o_{choice.number}" for choice in self.choices.values()]
        wholes += [frame.began_in_python for frame in self.frames[1:]]
        of_handlers = self._handlers.columns()
        wholes, reals = wholes + of_handlers[0], reals + of_handlers[1]
        wholes += naming.addresses
        for numbered in (naming.stations, naming.levels, naming.spawns, naming.processes, naming.causes):
            wholes += numbered
        wholes += [*naming.quantities, *naming.guards, *places_of(naming.guards)]
        for text, fact in naming.given.items():
            (reals if type(fact.answer) is float else wholes).append(text)
        return wholes, reals


def _indented(text: str) -> str:
    """Lines of a kernel, of which none is empty; `textwrap` looks at each."""
    return "    " + text.replace("\n", "\n    ")
