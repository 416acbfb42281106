"""Models: functions that build or tell a simulation, with parameters that are checked, ready to be run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping
from contextlib import nullcontext
from difflib import get_close_matches
from importlib import import_module
from operator import attrgetter
from types import GeneratorType, MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    Never,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    overload,
)

from eventide.errors import ModelError, ParameterError
from eventide.experiment.arguments import check_end
from eventide.experiment.parameters import REQUIRED, Parameter, contents, parameters_of, refuse_changed, show
from eventide.experiment.responses import EarlyReadings, Reading, read_responses
from eventide.experiment.run import Account, Run
from eventide.simulation import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eventide.experiment.designs import Over
    from eventide.experiment.replication import Replication
    from eventide.streams.uniforms import Rng

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

Program: TypeAlias = Callable[Concatenate[Simulation, P], Generator[object, object, R_co]]
Builder: TypeAlias = Callable[Concatenate[Simulation, P], R_co]
Drawing: TypeAlias = Callable[[Run[R_co], "Figure"], object]


class Model(Generic[P, R_co]):
    """A model function together with values for its parameters; made by `@model`.

    Call it for one with other values: `soaking_pit(pits=8).run(entropy=1)`.

    function    the function that was decorated
    parameters  what it takes, by name
    values      the value of every parameter that has one
    until       the time at which its runs stop, unless they are told another
    options     settings of its simulations
    """

    def __init__(self, function: Callable[..., object], *, until: float | None, options: Mapping[str, Any]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self.parameters: Mapping[str, Parameter] = MappingProxyType(parameters_of(function))
        given = {name: p.default for name, p in self.parameters.items() if p.default is not REQUIRED}
        self.values: Mapping[str, Any] = MappingProxyType(given)
        self._defaults = {name: contents(value) for name, value in given.items()}
        self.until = until
        self.options = MappingProxyType(dict(options))
        # Shared with every copy, so that a picture marked later belongs to them as well.
        self._drawings: list[Drawing[R_co]] = []

    @property
    def time_unit(self) -> str:
        """That of its simulations; "" where they have none."""
        return str(self.options.get("time_unit", ""))

    # --- parameters -----------------------------------------------------------------------------------------------

    def __call__(self, *args: P.args, **values: P.kwargs) -> Model[P, R_co]:
        """The same model with these values for its parameters.

        Raises ParameterError for an unknown name or a value that is not of the parameter's kind
        """
        if args:
            raise ParameterError(f"{self.name} takes its parameters by name, as {self.name}({self._list()})")
        return self._with({name: self._known(name).check(value, self.name) for name, value in values.items()})

    def set_texts(self, texts: Mapping[str, str]) -> Model[P, R_co]:
        """The same model with the values that texts mean; raises as a call."""
        return self._with({name: self._known(name).parse(text, self.name) for name, text in texts.items()})

    def _with(self, values: dict[str, object]) -> Model[P, R_co]:
        changed: Model[P, R_co] = object.__new__(type(self))
        vars(changed).update(vars(self))
        merged = {**self.values, **values}
        changed.values = MappingProxyType({name: merged[name] for name in self.parameters if name in merged})
        return changed

    def _known(self, name: str) -> Parameter:
        if name not in self.parameters:
            known = f"it has {self._list()}" if self.parameters else "it has none"
            near = get_close_matches(name, self.parameters, n=1)
            raise ParameterError(
                f"{self.name} has no parameter {name}; {known}" + (f"; did you mean {near[0]}?" if near else "")
            )
        return self.parameters[name]

    def _refuse(self, call: Callable[..., object], given: Mapping[str, object]) -> None:
        """Raise ParameterError for arguments that a call does not take, the first of which may be a parameter."""
        for name, value in given.items():
            taken = [key for key, one in inspect.signature(call).parameters.items() if one.kind is not one.VAR_KEYWORD]
            call_name = f"{self.name}.{call.__name__}"
            near = get_close_matches(name, [*taken, *self.parameters], n=1)
            if (near[0] if near else name) in self.parameters:
                self._known(name)
                raise ParameterError(
                    f"{name} is a parameter of the model: write {self.name}({name}={show(value)}).{call.__name__}(...)"
                )
            meant = (
                f"did you mean {near[0]}=?" if near else f"it takes {', '.join(taken)}; {self.name} has {self._list()}"
            )
            raise ParameterError(f"{call_name} takes no {name}=; {meant}")

    def _list(self) -> str:
        return ", ".join(map(str, self.parameters.values())) or "no parameters"

    @property
    def missing(self) -> tuple[Parameter, ...]:
        """The parameters that have no value yet."""
        return tuple(p for name, p in self.parameters.items() if name not in self.values)

    # --- running --------------------------------------------------------------------------------------------------

    @property
    def is_program(self) -> bool:
        """Whether the function is a main program, whose end is the end of the run."""
        return inspect.isgeneratorfunction(self.function)

    def run(
        self,
        *,
        entropy: int | None = None,
        rng: Rng = None,
        replication: int = 0,
        antithetic: bool = False,
        until: float | None = None,
        watch: bool = False,
        **unknown: Never,
    ) -> Run[R_co]:
        """Run the model once.

        entropy     of its random streams, an int from 0 on; fresh unless given
        rng         the same as whatever numpy takes for it; its entropy is kept
        replication     the number of this run among those of the same entropy: each has random numbers of its own
        antithetic      whether its random numbers mirror those of the run without: 1 - u for each uniform u
        until       stop before any event at this time; a main program without it runs to its end
        watch       show what the model records while it runs, in a notebook or on a page: see `Simulation.watch`
        Raises      ModelError if a parameter has no value or nothing says when to stop, ParameterError for other names;
                    what the model raises goes up as the same object, with a note by which the run can be repeated
        """
        self._refuse(self.run, unknown)
        self.check_ready(until)
        if entropy is not None and rng is not None:
            raise ModelError(f"{self.name}.run takes entropy= or rng=, and got both")
        sim = self.simulation(rng if entropy is None else entropy, replication, antithetic=antithetic)
        return self.run_in(sim, until=until, watch=watch)

    def simulation(self, rng: Rng = None, replication: int = 0, *, antithetic: bool = False) -> Simulation:
        """A simulation with the model's settings, to be given to `run_in`: so what runs can be looked at meanwhile."""
        return Simulation(**self.options, rng=rng, replication=replication, antithetic=antithetic)

    def run_in(self, sim: Simulation, *, until: float | None = None, watch: bool = False) -> Run[R_co]:
        """Run the model once in a new simulation of its own; raises as `run`."""
        self.check_ready(until)
        try:
            with sim.watch(title=repr(self)) if watch else nullcontext():
                return self._run(sim, self.until if until is None else until)
        except Exception as error:
            number = f", replication {sim.replication}" if sim.replication else ""
            number += ", antithetic" * sim.antithetic
            error.add_note(f"in a run of {self!r} with entropy {sim.entropy}{number}, at time {sim.time!r}")
            raise
        finally:
            if sim.recordings:  # without any the room is not loaded
                from eventide.observe import close_sinks

                close_sinks(sim.recordings)

    def replicate(
        self,
        count: int = 1,
        *,
        over: Over = None,
        entropy: int | None = None,
        until: float | None = None,
        antithetic: bool = False,
        until_half_width: Mapping[str, float] | None = None,
        relative: bool = False,
        most: int = 10_000,
        **unknown: Never,
    ) -> Replication:
        """Run the model several times here, each with random numbers of its own, and keep the runs.

        `pit.replicate(20, over={"pits": [4, 8]}, entropy=1)`; then `.inputs`, `.states()`, `.responses` are tables, and
        `.plan("waiting", half_width=0.5)` tells how many are needed. `ev.Study` does it on all cores, and keeps less.
        count       at each point
        over        the points, as for `ev.Study`; None: the model as it is
        entropy, until      as for `run`
        antithetic          whether they come in pairs, as for `ev.Study`
        until_half_width, relative, most    to go on until means are known so closely, as for `Study.run`
        Raises      as `run` does; ParameterError for a point that is none
        """
        from eventide.experiment.replication import replicate

        self._refuse(self.replicate, unknown)
        runs = replicate(self, count, over=over, entropy=entropy, until=until, antithetic=antithetic)
        runs.extend_until_all(until_half_width or {}, relative=relative, most=most)
        return runs

    def check_ready(self, until: float | None = None) -> None:
        """Raise ModelError if a parameter has no value or nothing says when a run would stop."""
        if self.missing:
            raise ParameterError(f"{self.name} needs a value for {', '.join(map(str, self.missing))}")
        if not self.is_program and until is None and self.until is None:
            raise ModelError(
                f"{self.name} does not say when to stop: give the run a time (until), write @ev.model(until=...), "
                "or make it a main program that yields"
            )

    def stopped(self, sim: Simulation) -> Run[R_co]:
        """What a run has come to that has been stopped on its way, as by Ctrl-C: it answers nothing."""
        return Run(self, sim, Account.of(sim), MappingProxyType({}), False, cast("R_co", {}))

    def _run(self, sim: Simulation, until: float | None) -> Run[R_co]:
        own = {name: value for name, value in self.values.items() if value is self.parameters[name].default}
        refuse_changed(own, self._defaults, self.name)
        told = self.function(sim, **self.values)
        has_ended = True
        if self.is_program:
            sim.main = sim.process(told, name=self.name)
            sim.run(until=until)
            told, has_ended = sim.main.result, sim.main.terminated
        elif isinstance(told, GeneratorType):
            raise ModelError(
                f"{self.name} has no yield of its own and returned the generator {told.__name__}: "
                f"write `return (yield from {told.__name__}(...))`"
            )
        else:
            early = EarlyReadings(told, self.values, sim)
            sim.run(until=until)
            early.warn(self.name, self.function)
        responses, statistics = read_responses(told, self.name)
        return Run(self, sim, Account.of(sim), MappingProxyType(statistics), has_ended, cast("R_co", responses))

    # --- its picture ----------------------------------------------------------------------------------------------

    def picture(self, function: Drawing[R_co]) -> Drawing[R_co]:
        """Mark the function that draws a run of this model: `draw(run, figure)`, with an empty figure of matplotlib."""
        self._drawings[:] = [function]
        return function

    @property
    def drawing(self) -> Drawing[R_co] | None:
        """The function marked with `picture`, or None."""
        return self._drawings[0] if self._drawings else None

    # --- to other processes ---------------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[object, ...]:
        from eventide.experiment.travel import name_of

        named = name_of(self)
        if named is not None:
            return _imported, (*named, dict(self.values))
        # As a state and not as arguments: the function may refer to this model by its name.
        state = self.function, self.until, dict(self.options), dict(self.values), self._drawings
        return object.__new__, (type(self),), state

    def __setstate__(
        self,
        state: tuple[Callable[..., object], float | None, dict[str, object], dict[str, object], list[Drawing[R_co]]],
    ) -> None:
        function, until, options, values, drawings = state
        Model.__init__(self, function, until=until, options=options)
        self.values, self._drawings = MappingProxyType(values), drawings

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{name}={show(value)}' for name, value in self.values.items())})"


def _imported(module: str, name: str, values: dict[str, object]) -> Model[..., object]:
    """The model of that name in a module, with these values."""
    model: Model[..., object] = attrgetter(name)(import_module(module))
    return model._with(values)


class Decorator(Protocol):
    """What `model(...)` with settings answers."""

    @overload
    def __call__(self, function: Program[P, Mapping[str, Reading]], /) -> Model[P, dict[str, float]]: ...
    @overload
    def __call__(self, function: Program[P, R_co], /) -> Model[P, R_co]: ...
    @overload
    def __call__(self, function: Builder[P, Mapping[str, Reading]], /) -> Model[P, dict[str, float]]: ...
    @overload
    def __call__(self, function: Builder[P, R_co], /) -> Model[P, R_co]: ...


@overload
def model(function: Program[P, Mapping[str, Reading]], /) -> Model[P, dict[str, float]]: ...
@overload
def model(function: Program[P, R_co], /) -> Model[P, R_co]: ...
@overload
def model(function: Builder[P, Mapping[str, Reading]], /) -> Model[P, dict[str, float]]: ...
@overload
def model(function: Builder[P, R_co], /) -> Model[P, R_co]: ...
@overload
def model(
    *,
    until: float | None = None,
    rel_error: float | None = None,
    abs_error: float | None = None,
    dt_min: float | None = None,
    dt_max: float | None = None,
    time_unit: str | None = None,
) -> Decorator: ...
def model(
    function: Callable[..., object] | None = None,
    /,
    *,
    until: float | None = None,
    rel_error: float | None = None,
    abs_error: float | None = None,
    dt_min: float | None = None,
    dt_max: float | None = None,
    time_unit: str | None = None,
) -> object:
    """Make a model of a function of a simulation and named parameters; a decorator, with or without settings.

    A generator is the main program: it yields commands, its end is the run's end, what it returns are the responses.
    A plain function builds the model and needs `until`; what it returned is read when the run has ended: statistics
    give their mean, functions their value. A number stays what it was when the model was built: write
    `lambda: tank.level` for the level at the end.

    until       the time at which runs stop, unless they are told another
    rel_error, abs_error, dt_min, dt_max, time_unit     settings of the simulation, see `Simulation`
    Raises      ModelError if it is no function of that form, ParameterError if a default is not of its kind
    """
    given = {"rel_error": rel_error, "abs_error": abs_error, "dt_min": dt_min, "dt_max": dt_max, "time_unit": time_unit}
    options = {name: value for name, value in given.items() if value is not None}
    until = check_end(until, "@ev.model", time_unit or "")

    def decorate(function: Callable[..., object]) -> Model[..., object]:
        if not inspect.isfunction(function):
            raise ModelError(f"@ev.model decorates a function, and got {function!r}")
        return Model(function, until=until, options=options)

    return decorate if function is None else decorate(function)
