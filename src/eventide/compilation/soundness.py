"""What laws may not do, as their text tells: assign a state that is no difference equation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.continuous import Variable
from eventide.continuous.checks import UnsoundLaw, unsound_assignment
from eventide.continuous.components.member import layout_of
from eventide.lowering.names.paths import ITEMS
from eventide.reading.description import location

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventide.compilation.registry import Bound
    from eventide.continuous.components.member import Member
    from eventide.lowering.translation.values import Path


def check_laws(owner: Member, bounds: Iterable[Bound]) -> None:
    """Raise UnsoundLaw if laws of an object assign a state that is not declared so, or read one before they do."""
    for bound in bounds:
        lowered = bound.kernel.lowered
        if not lowered.assignments:
            continue
        law, objects = f"{owner.name}.{lowered.name.rpartition('.')[2]}", objects_of(bound)
        for access, (file, line, text) in lowered.assignments:
            for whose in objects.get(access.path, ()):
                if isinstance(whose, Variable):
                    title, spec, is_declared = whose.name, None, whose.assigned
                else:
                    title, spec = f"{whose.name}.{access.name}", layout_of(whose).fields[access.name]
                    is_declared = spec.assigned
                if not is_declared:
                    raise unsound_assignment(law, title, spec, f" ({location(file, line)}: `{text}`)")
                if access in lowered.reads:
                    raise UnsoundLaw(
                        f"{law} reads the state {title} on some way before it assigns it "
                        f"({location(file, line)}: `{text}`), and what stands there then depends on how the step is "
                        "tried: read what it was at the start of the step, "
                        f"{'`last_state`' if spec is None else f'`last.{access.name}`'}"
                    )


def objects_of(bound: Bound) -> dict[Path, list[Member]]:
    """The objects at each path of a kernel; several where the path goes through a list."""
    lowered, binding = bound.kernel.lowered, bound.binding
    objects = {path: [item] for (path, _), item in zip(lowered.blocks, binding.objects, strict=True)}
    for (path, _), items in zip(lowered.lists, binding.items, strict=False):
        objects[path if path[-1] == ITEMS else (*path, ITEMS)] = list(items)
    return objects
