"""Interrupt handlers in bodies: which are native code, and what an interrupt does at each wait.

A process that is interrupted continues in the handler that its wait is in, after it has left the blocks between them.
Where that cannot be done exactly the interrupt is raised in Python, at the `yield`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from eventide.bodies.emission import Emission
from eventide.bodies.expressions import BodyExpressions
from eventide.bodies.operands import Thing, Unknown
from eventide.bodies.points import Block, Handler
from eventide.errors import Interrupt
from eventide.rows.codes import LOST

if TYPE_CHECKING:
    from eventide.bodies.naming import Naming

_EXIT = "    code = EXIT\n    break"


class Catch(NamedTuple):
    """A `try` whose interrupt handler is native code.

    state       at which the handler begins
    body        its statements
    blocks      around the `try`
    depth       in how many handlers the `try` stands
    is_brief    whether the handler ends within the event
    """

    handler: Handler
    state: int
    body: Sequence[ast.stmt]
    blocks: tuple[Block, ...]
    depth: int
    is_brief: bool


class Handlers:
    """The interrupt handlers of one body.

    around      those in which the text stands that is being read
    """

    def __init__(self, naming: Naming, tree: ast.AST) -> None:
        self.around: tuple[Handler, ...] = ()
        self._count = 0
        self._naming = naming
        self._tree = tree
        self._catches: list[Catch] = []

    @contextmanager
    def through(self, naming: Naming, tree: ast.AST) -> Iterator[None]:
        """While a function of a `yield from` is read: what it does not handle itself is raised in Python."""
        kept = self._naming, self._tree, self._catches, self.around
        self._naming, self._tree, self._catches = naming, tree, []
        try:
            yield
        finally:
            self._naming, self._tree, self._catches, self.around = kept

    def are_plain(self, statement: ast.Try) -> bool:
        """Whether a `try` does nothing when its process is given up."""
        return not statement.finalbody and all(self._passes(handler.type) for handler in statement.handlers)

    def catch(self, statement: ast.Try, state: int, blocks: Sequence[Block]) -> Catch | None:
        """The native handler of a `try`; None if Python handles its interrupts."""
        found = next((one for one in statement.handlers if self._catches_interrupts(one.type) is not False), None)
        if found is None or not self._catches_interrupts(found.type) or not _has_yield(statement.body):
            return None
        name = found.name or ""
        if name and not self._is_free(name):
            return None
        handler = Handler(statement, name and self._naming.key(name), self._count)
        self._count += 1
        return Catch(handler, state, found.body, tuple(blocks), len(self.around), not _has_yield(found.body))

    @contextmanager
    def trying(self, catch: Catch | None) -> Iterator[None]:
        """While the statements of a `try` are read."""
        if catch is not None:
            self._catches.append(catch)
        yield
        if catch is not None:
            self._catches.pop()

    @contextmanager
    def inside(self, handler: Handler) -> Iterator[None]:
        """While the statements of a handler are read."""
        handled, around = self._naming.handled, self.around
        self.around = (*around, handler)
        name = handler.name[len(self._naming.prefix) :]
        if name:
            handled[name] = handler.number
        yield
        self.around = around
        handled.pop(name, None)

    def delivery(self, resume: int, blocks: Sequence[Block]) -> str:
        """What an interrupt does to a process that waits in a state."""
        test = "if a.activity.wait[i] < 0:"
        catch = self._catches[-1] if self._catches else None
        if catch is None or catch.depth != len(self.around):
            return f"{test}\n{_EXIT}"
        k, lost = catch.handler.number, "a.activity.wait[i] == PREEMPTED_NOW"
        strange = " and ".join([lost, *(f"a.process.cause[i] != q_{block.name}" for block in catch.blocks)])
        lines = [
            f"if {strange if catch.is_brief else lost}:\n{_EXIT}",
            f"e_{k} = ({LOST} - a.process.cause[i] if {lost} else a.process.cause[i])",
            f"f_{k} = {resume}",
            f"l_{k} = a.activity.left[i]",
            "a.activity.wait[i] = NOTHING",
        ]
        lines += [f"leave(a, q_{block.name})\nq_{block.name} = -1" for block in reversed(blocks[len(catch.blocks) :])]
        lines.append(f"at = {catch.state}\ncontinue")
        return "\n".join([test, *(f"    {line}" for line in "\n".join(lines).splitlines())])

    def columns(self) -> tuple[list[str], list[str]]:
        """What a row keeps of the interrupts that it handles: whole numbers, and floats.

        Those are the cause, at which wait it came, and what was left of a hold. Where Python has made the exception it
        is this instead of the cause, and of no wait.
        """
        numbers = range(self._count)
        return [f"{letter}_{k}" for k in numbers for letter in "ef"], [f"l_{k}" for k in numbers]

    # --- what handlers handle ---------------------------------------------------------------------------------------

    def _class_of(self, kind: ast.expr) -> type | None:
        """The class that an expression means; None if that is not known."""
        try:
            found = BodyExpressions(self._naming, Emission(0)).value(kind)
        except Unknown:
            return None
        return found.value if isinstance(found, Thing) and not found.root and isinstance(found.value, type) else None

    def _passes(self, kind: ast.expr | None) -> bool:
        """Whether a handler is known not to handle GeneratorExit."""
        if isinstance(kind, ast.Tuple):
            return all(self._passes(item) for item in kind.elts)
        found = None if kind is None else self._class_of(kind)
        return found is not None and Exception in found.__mro__

    def _catches_interrupts(self, kind: ast.expr | None) -> bool | None:
        """Whether a handler handles interrupts; None if that is not known."""
        if isinstance(kind, ast.Tuple):
            found = [self._catches_interrupts(item) for item in kind.elts]
            return None if None in found else any(found)
        known = None if kind is None else self._class_of(kind)
        return None if known is None else known in Interrupt.__mro__

    def _is_free(self, name: str) -> bool:
        """Whether a variable refers to nothing but exceptions that are handled."""
        naming = self._naming
        if name not in naming.own or name in naming.arguments or name in naming.handled or name in naming.bound:
            return False
        if naming.key(name) in naming.kinds:
            return False
        return not any(_binds(node, name) for node in ast.walk(self._tree))


def _has_yield(statements: Sequence[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for one in statements for node in ast.walk(one))


def _binds(node: ast.AST, name: str) -> bool:
    """Whether anything but a handler sets or deletes a variable."""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    return not isinstance(node, ast.ExceptHandler) and name in (getattr(node, "name", ""), getattr(node, "asname", ""))
