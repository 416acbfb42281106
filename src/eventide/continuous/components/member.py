"""What may be a member of a flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from eventide.continuous.components.component import Continuous
    from eventide.continuous.components.variable import Variable

Member: TypeAlias = "Continuous | Variable"
"""A component with states or laws, or a loose variable."""
