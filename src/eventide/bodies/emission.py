"""The lines of one statement of a body, in which nothing may fail once something has been done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from eventide.bodies.operands import Kind, Operand, Unknown

if TYPE_CHECKING:
    import ast

    from eventide.bodies.operands import Known


class Emission:
    """Lines of the kernel for one statement.

    A kernel that cannot continue stops before the statement, for Python to execute all of it. So whatever could stop it
    is tested before the first effect, a draw or an entry in a list; what cannot be tested there is not native.
    """

    def __init__(self, first: int) -> None:
        self.lines: list[str] = []
        self.used = first
        """How many temporary names there are in the kernel."""
        self.prototypes: list[str] = []
        """The variables of the prototypes of the processes that it makes."""
        self._effect: int | None = None

    @property
    def is_pure(self) -> bool:
        """Whether there has been no effect yet."""
        return self._effect is None

    def emit(self, line: str) -> None:
        """Add a line, or several."""
        self.lines.append(line)

    def begin_effect(self) -> None:
        """What comes next is done and stays done."""
        if self._effect is None:
            self._effect = len(self.lines)

    def stop_if(self, bad: str, *operands: Operand, node: ast.AST | None = None) -> None:
        """Leave the statement to Python if a test of these operands holds. Raises Unknown if that is too late."""
        if bad in ("False", "not True"):  # what the operands can be tells it
            return
        line = f"if {bad}:\n    code = EXIT\n    break"
        if self._effect is None:
            self.lines.append(line)
        elif all(operand.is_early for operand in operands):
            self.lines.insert(self._effect, line)
            self._effect += 1
        else:
            raise Unknown("it may fail after it has had an effect", node)

    def emit_early(self, line: str) -> None:
        """Add a line before the first effect: nothing of the statement changes what it reads."""
        if self._effect is None:
            self.lines.append(line)
        else:
            self.lines.insert(self._effect, line)
            self._effect += 1

    def keep_early(self, text: str, kind: Kind) -> Operand:
        """Give a value a name there."""
        self.used += 1
        self.emit_early(f"t{self.used} = {text}")
        return Operand(f"t{self.used}", kind)

    def keep(self, text: str, kind: Kind, **known: Unpack[Known]) -> Operand:
        """Give a value a name."""
        self.used += 1
        name = f"t{self.used}"
        self.lines.append(f"{name} = {text}")
        return Operand(name, kind, self.is_pure, **known)
