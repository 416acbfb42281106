"""The errors of eventide, one family.

EventideError
|-- SimulationError     a numbered error of the monitor: number, text, time, culprit
|-- ModelError          the library was used in a way it cannot follow
|-- MissingLibraryError a library of an extra is not installed
`-- Interrupt           thrown into a process by `interrupt(cause)`
CascadeWarning (UserWarning)   events come ever closer to one time
EqualityWarning (UserWarning)  a condition compares what moves by == or !=
ResponseWarning (UserWarning)  a model has read a response before its run
SwitchWarning (UserWarning)    a law branches where that is not located, and it matters
Ended (BaseException)   thrown into a process by `end()`
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, Protocol, SupportsInt, TypeVar

TEXTS: Final[dict[int, str]] = {
    1: "THE REQUESTED INTEGRATION ACCURACY CAN NOT BE ACHIEVED",
    2: "THE CURRENT TIME STEP IS TOO SMALL TO ADVANCE TIME",
    3: "THERE ARE NO DISCRETE EVENTS SCHEDULED",
    4: "DTMIN<0",
    5: "DTMIN>DTMAX",
    6: "FREQUENCY IS TOO SMALL TO ADVANCE TIME (CLASS REPORTER)",
    7: "TIME IS AT ITS MAXIMUM VALUE AND NO EVENTS OCCUR",
    8: "ILLEGAL CALL OF PAUSE",
    9: "ILLEGAL CALL OF CANCELSTATEEVENT",
    10: "ILLEGAL CALL OF WAITUNTIL",
    11: "ILLEGAL CALL OF SETPRIORITY (CLASS CONTINUOUS)",
    12: "ILLEGAL CALL OF START (CLASS CONTINUOUS)",
    13: "ILLEGAL CALL OF STOP (CLASS CONTINUOUS)",
    14: "ILLEGAL CALL OF SETFREQUENCY (CLASS REPORTER)",
    15: "ILLEGAL CALL OF START (CLASS REPORTER)",
    16: "ILLEGAL CALL OF STOP (CLASS REPORTER)",
    17: "ILLEGAL CALL OF (RE)ACTIVATE",
    18: "ILLEGAL CALL OF PASSIVATE (OR CANCEL(CURRENT))",
    19: "ILLEGAL CALL OF HOLD (OR REACTIVATE CURRENT)",
    20: "ILLEGAL CALL OF CANCEL",
}
"""The numbered errors. Source: Helsgaun, COMBINEDSIMULATION manual, Appendix A."""


Value = TypeVar("Value")


class EventideError(Exception):
    """Whatever eventide itself finds wrong."""


class ModelError(EventideError):
    """The library was used in a way it cannot follow; the message says what to do instead."""


class ParameterError(ModelError, TypeError):
    """A model has no parameter of that name, or the value is not of its kind; the message says what is allowed."""


class MissingLibraryError(EventideError, ModuleNotFoundError):
    """A library of an extra is not installed; the message says how to install it."""


class InputError(EventideError):
    """Data given to a model cannot be used; the message says where, what was found and what is allowed.

    A model raises it as well: the command line then prints the message as its only line, without a traceback.
    """


def to_float(value: Any, what: str) -> float:
    """A number as a float.

    what    whose it is, as a message begins
    Raises InputError for a whole number or fraction beyond the largest float; what `float` raises for other things.
    """
    try:
        return float(value)
    except OverflowError:
        refuse_too_large(value, what)


def check_text(value: object, what: str) -> str:
    """`value` if it is a text. Raises TypeError that says whose it is, `what`, if it is none."""
    if not isinstance(value, str):
        raise TypeError(f"{what} takes a text, and got {value!r}")
    return value


def refuse_boolean(until: object) -> None:
    """Raise TypeError for a run that is to end when a comparison is true, which was made once and is not repeated."""
    if isinstance(until, bool) or getattr(until, "dtype", "") == "bool":
        raise TypeError(
            f"run(until=...) takes a time, a process or a condition to call, and got {until!r}: "
            "write `run(until=lambda: ...)`"
        )


def check_boolean(value: object, what: str) -> bool:
    """`value` if it is True or False. Raises TypeError that says whose it is, `what`, if it is neither."""
    if not isinstance(value, bool):
        raise TypeError(f"{what} takes True or False, and got {value!r}")
    return value


def check_number(value: Value, what: str) -> Value:
    """`value` if it is a number. Raises TypeError that says whose it is, `what`, if it is none."""
    if not hasattr(value, "__float__"):  # float("3") is 3.0, and a text for a number is a slip
        raise TypeError(f"{what} takes a number, and got {value!r}")
    return value


def check_tolerances(relative: float, absolute: float) -> tuple[float, float]:
    """The tolerances as floats; ModelError if one is negative or no number; 0 is allowed, as the other may do."""
    try:
        are_numbers = relative >= 0.0 and absolute >= 0.0
    except TypeError:
        are_numbers = False
    if not are_numbers:
        raise ModelError(f"tolerances are numbers from 0 on, and got rel_error {relative!r}, abs_error {absolute!r}")
    return to_float(relative, "rel_error"), to_float(absolute, "abs_error")


def refuse_too_large(value: SupportsInt, what: str) -> NoReturn:
    """Raise InputError for a number beyond the largest float; it is not written out, as it may be of any length."""
    digits = int(abs(int(value)).bit_length() * _DIGITS_OF_A_BIT) + 1
    raise InputError(
        f"{what} got a number of {digits} digits: numbers are floats, up to 1.8e308; or write inf"
    ) from None


_DIGITS_OF_A_BIT: Final = 0.30102999566398120


class Named(Protocol):
    """A component, reporter or variable, as errors tell of it."""

    @property
    def name(self) -> str:
        """The name."""


class SimulationError(EventideError):
    """A numbered error of the monitor.

    number      1 to 20, see `TEXTS`
    text        what the manual calls it; detail: what was found here, and what to do
    time        simulated time at which it was met
    continuous, reporter, variable   the culprit: what was used where it may not be, or else whose code did so; or None
    caller      the component, reporter or process in whose equations, report or condition it was met, or None
    """

    def __init__(
        self,
        number: int,
        time: float,
        detail: str,
        *,
        continuous: Named | None = None,
        reporter: Named | None = None,
        variable: Named | None = None,
    ) -> None:
        super().__init__(number, time, detail)
        self.number = number
        self.text = TEXTS[number]
        self.time = time
        self.detail = detail
        self.continuous = continuous
        self.reporter = reporter
        self.variable = variable
        self.caller: object = None
        self._place = ""

    def __reduce__(self) -> tuple[object, ...]:
        # Those in whose code it was met are parts of their simulation, which stays where it is; their names travel.
        culprits = dict.fromkeys(("continuous", "reporter", "variable", "caller"))
        return SimulationError, (self.number, self.time, self.detail), {**vars(self), **culprits}

    def __str__(self) -> str:
        place = f" (in {self._place})" if self._place else ""
        return f"error {self.number} at time {self.time!r}: {self.text}. {self.detail}{place}"

    @property
    def lines(self) -> tuple[str, str, str]:
        """The three lines by which the manual's program reports an error. Source: the manual, 3.25."""
        return (
            "***COMBINEDSIMULATION",
            f"***ERROR {self.number}: {self.text}",
            f"***ENCOUNTERED AT TIME {self.time!r}",
        )

    def blame(
        self,
        caller: object,
        place: str,
        *,
        continuous: Named | None = None,
        reporter: Named | None = None,
    ) -> None:
        """Add whose code met the error, and where that stands; no effect if that is known already.

        place       as in "the equations of ball"
        """
        if self.caller is None:
            self.caller, self._place = caller, place
            self.continuous = self.continuous or continuous
            self.reporter = self.reporter or reporter


class CascadeWarning(UserWarning):
    """Events come ever closer to a time that the run will not go beyond; told with `Simulation(cascades="warn")`."""


class IdleWarning(UserWarning):
    """A run has ended, and something in it took no part: a component that was never started, a process that was never
    activated, one that waits for what nothing can make true, several in a deadlock, or one that ended with units for
    which others wait. Told by the run that did so.
    """


class RandomWarning(UserWarning):
    """A process draws random numbers that are not the simulation's."""


class ResponseWarning(UserWarning):
    """A model has returned a number as it was before its run: a function would be read at its end. Told once."""


class StiffnessWarning(UserWarning):
    """An explicit method has made many steps that only its stability demands: an implicit one makes far fewer."""


class SwitchWarning(UserWarning):
    """A law branches where that is not located, and a step may pass over a short pulse of time, or the law chatters.

    Or a condition in Python goes by the time. Told once a law or condition, or at the end of the run.
    """


class EqualityWarning(UserWarning):
    """A condition compares by == or != what moves between events: it is met by chance, or where an event sets it."""


class Interrupt(EventideError):
    """Thrown into a process at its `yield` by `process.interrupt(cause)`.

    cause       whatever the interrupter gave
    left        what was left of the hold that it cut short; None if it was not holding
    """

    # Both are the exception's own arguments: a process can be interrupted very often, and an __init__ takes its time.
    @property
    def cause(self) -> Any:  # noqa: D102  # told above
        return self.args[0] if self.args else None

    @property
    def left(self) -> float | None:  # noqa: D102  # told above
        return self.args[1] if len(self.args) > 1 else None

    def __str__(self) -> str:
        return "" if self.cause is None else str(self.cause)


class Ended(BaseException):
    """Thrown into a process at its `yield` by `process.end()`: clean up and return, do not wait."""

    value: None = None
    """What the process is taken to have returned."""
