"""Settings by which processes become rows after a few events."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eventide import simulation
from eventide.discrete import same_time_limit, world
from eventide.migration import python_calls, row_migration
from eventide.migration.row_driver import DiscreteDriver
from eventide.monitor import discrete_conditions
from eventide.monitor.row_driver import HybridDriver
from eventide.rows import loading

SOON: tuple[tuple[Any, str, Any], ...] = (
    (world, "CHUNK", 4), (same_time_limit, "CHUNK", 4), (simulation, "ENOUGH", 8), (loading, "PATIENCE", 0),
    (loading, "_PAST", loading._Past(is_loaded=True)),
    (row_migration, "ENOUGH", 4), (row_migration, "EACH", 0), (row_migration, "EACH_EARLY", 0),
    (row_migration, "BACK", 0), (python_calls, "EACH_CALL", 0), (discrete_conditions, "STANDS", 0),
    (DiscreteDriver, "least_share", 0.5), (HybridDriver, "least_share", 0.5),
    (row_migration.RowMigration, "_wait_longer", lambda _: None),
)  # fmt: skip
"""What is set so that processes become rows after a few events, and do so again."""


@contextmanager
def hurried() -> Iterator[None]:
    """Processes become rows soon."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in SOON]
    try:
        for owner, name, value in SOON:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
