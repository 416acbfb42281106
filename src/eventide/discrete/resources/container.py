"""A container: an amount of something alike, put in and taken out in portions."""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING, Final, NoReturn, TypeVar

from eventide.declare import fix
from eventide.declare.units import in_own_unit
from eventide.discrete.commands import command
from eventide.discrete.resources.transfer import Inventory, Side, Transfer
from eventide.errors import ModelError, check_text
from eventide.statistics.level import set_at

if TYPE_CHECKING:
    from eventide.discrete.commands import Activity
    from eventide.discrete.resources.transfer import Amount
    from eventide.simulation import Simulation


class AmountTransfer(Transfer):
    """A put into a container or a get from it."""

    __slots__ = ("amount",)

    station: Container

    def describe(self) -> str:
        """What is waited for."""
        station = self.station
        return (
            f"the {self._what} {station.name} of {self.amount!r} since {self.since!r}, "
            f"which holds {station.amount!r} of {station.capacity!r}"
        )

    def _answer(self) -> object:
        return self.amount


class AmountPut(AmountTransfer):
    """A put into a container, to be yielded."""

    __slots__ = ()
    _what = "put into"

    @property
    def _side(self) -> Side[AmountPut]:
        return self.station._puts

    def _is_done_at_once(self, activity: Activity) -> bool:
        station = self.station
        side = station._puts
        if side.line.count or station._amount + station._kept + self.amount > station._capacity:
            return False
        activity._value = self.amount
        side.add_wait(0.0)
        station._change(self.amount)
        if station._gets.line.count:
            station._serve()
        return True

    def _take(self) -> bool:
        station = self.station
        if station._amount + station._kept + self.amount > station._capacity:
            return False
        station._keep(self.amount)
        return True

    def _carry_out(self) -> None:
        self.station._change(self.amount)


class AmountGet(AmountTransfer):
    """A get from a container, to be yielded."""

    __slots__ = ()
    _what = "get from"

    @property
    def _side(self) -> Side[AmountGet]:
        return self.station._gets

    def _is_done_at_once(self, activity: Activity) -> bool:
        station = self.station
        side = station._gets
        if side.line.count or station._amount < self.amount:
            return False
        activity._value = self.amount
        side.add_wait(0.0)
        station._change(-self.amount)
        if station._puts.line.count:
            station._serve()
        return True

    def _take(self) -> bool:
        station = self.station
        if station._amount < self.amount:
            return False
        station._change(-self.amount)
        station._keep(self.amount)
        return True

    def _undo(self) -> None:
        # It may be more than there is space for by now: then nothing is put in until that much has been taken out.
        self.station._change(self.amount)


Some = TypeVar("Some", bound=AmountTransfer)


class Container(Inventory):
    """An amount of something alike, such as fuel in a tank.

    amount      what is in it now
    level       a `Level`: the amount, over time
    puts, gets  the puts and the gets: each with `queue` (a `Level`), `waits` (a `Tally`) and `waiting`
    unit=       that of all amounts, as "l": one with another unit, as a `Quantity`, is converted

    A process that finds too little, or too little space, waits; each side is served by priority (high first), then in
    order of asking, without overtaking, so that a large portion is not starved by small ones. Whole numbers and
    fractions are added exactly; floats are rounded, as always: ten times 0.1 is less than 1.0.
    """

    _from_start = "Container(sim, capacity, initial)"

    def __init__(
        self, sim: Simulation, capacity: Amount = inf, initial: Amount = 0, *, name: str = "", unit: str = ""
    ) -> None:
        self._attach(sim, name)
        self._unit = check_text(unit, "unit=")
        self._capacity = self._check_capacity(capacity)
        self._amount = in_own_unit(initial, unit, self.name)
        if TYPE_CHECKING:  # see `fix`
            self.amount = self._amount
        check_initial(self._amount, self)
        self._open(sim, float(self._amount), unit)

    def _check_capacity(self, capacity: Amount) -> Amount:
        capacity = in_own_unit(capacity, self._unit, self.name)
        if not (capacity == inf or (is_amount(capacity) and capacity > 0)):
            raise ModelError(
                f"the capacity of {self.name} is a number greater than 0, or infinite, and got {capacity!r}"
            )
        return capacity

    @command
    def put(self, amount: Amount, priority: float = 0.0) -> AmountPut:
        """Command: put `amount` in, once there is space for it; the `yield` returns the amount.

        Raises ModelError if there can never be.
        """
        return self._make_portion(AmountPut(), amount, priority)

    @command
    def get(self, amount: Amount, priority: float = 0.0) -> AmountGet:
        """Command: take `amount` out, once it is there; the `yield` returns the amount.

        Raises ModelError if it can never be.
        """
        return self._make_portion(AmountGet(), amount, priority)

    def _make_portion(self, portion: Some, amount: Amount, priority: float) -> Some:
        amount = in_own_unit(amount, self._unit, self.name)
        try:
            fits = 0 <= amount <= self._capacity and amount < inf
        except TypeError:
            fits = False
        if not fits:
            refuse_amount(amount, self, portion._what)
        portion.amount = amount
        return self._make(portion, priority)

    def _change(self, difference: Amount) -> None:
        self._amount = amount = self._amount + difference
        set_at(self._level, float(amount), self.sim.time)

    def _serve(self) -> None:
        for line in (self._gets.line, self._puts.line):
            while (portion := line.first()) is not None and portion._take():
                portion._grant()

    def __repr__(self) -> str:
        return f"<{self.name}: {self.amount!r} of {self.capacity!r}, {self._waiting_text()}>"


MOVED: Final = "let a process yield its put(...) or get(...), or give it initial=... from the start"
fix(Container, level=MOVED, amount=MOVED)


def is_amount(value: Amount) -> bool:
    """Whether this is a number, finite and not negative."""
    try:
        return isfinite(value) and value >= 0
    except (TypeError, ValueError, OverflowError):
        return False


def check_initial(initial: Amount, container: Container) -> None:
    """Raise ModelError if a container cannot hold this at the start."""
    if not (is_amount(initial) and initial <= container.capacity):
        raise ModelError(
            f"the initial amount of {container.name} is a number from 0 to its capacity {container.capacity!r}, "
            f"and got {initial!r}"
        )


def refuse_amount(amount: Amount, container: Container, what: str) -> NoReturn:
    """Raise ModelError for what is no amount, or more than the container can ever hold."""
    if not is_amount(amount):
        raise ModelError(f"a {what} {container.name} takes a finite number, 0 or more, and got {amount!r}")
    raise ModelError(
        f"a {what} {container.name} of {amount!r} would wait for ever, its capacity is {container.capacity!r}: "
        "split it into portions"
    )
