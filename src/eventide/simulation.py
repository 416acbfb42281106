"""The public simulation: one clock, one world, its settings; everything else is delegated to the rooms."""

from __future__ import annotations

from contextlib import contextmanager
from math import inf, isfinite, nan
from operator import index
from typing import TYPE_CHECKING, Final, Literal, NoReturn, Self, overload

from eventide.declare.given import refuse_unknown
from eventide.declare.reserved import fix, refuse_reserved
from eventide.declare.showing import as_html
from eventide.declare.units import in_time_unit
from eventide.discrete import World
from eventide.discrete.same_time_limit import BESIDE_FLOWS, EARLY, EARLY_BESIDE_FLOWS, ENOUGH, SOON
from eventide.errors import ModelError, SimulationError, check_number, check_tolerances, to_float
from eventide.native.locking import cached_property

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventide.compilation.account import Explanation
    from eventide.continuous import Continuous, Integrator, System, Variable
    from eventide.methods import Method, Multistep, Newton
    from eventide.migration.bodies import Bodies
    from eventide.monitor import Monitor
    from eventide.monitor.counts import RunReport
    from eventide.observe import Every, Integral, PopulationRecording, Recording, Reporter, Watch
    from eventide.observe.dense_output import DenseOutputs
    from eventide.observe.log import EventLog
    from eventide.observe.subjects import Named, Subject
    from eventide.streams.uniforms import Rng


class Simulation(World):
    """One run of a model: its clock, its events, its states.

    rel_error, abs_error    tolerances, copied by each state when it is made
    dt_min                  the shortest step, and how closely state events are located; 0: to the last float
    dt_max                  the longest step
    cascades                what to do when state events come ever closer to one time and no `@handler.accumulates`
                            says what follows: "raise" a ModelError, or "warn" and continue while time advances
    time_unit               the unit of time, for axes and tables
    method                  the integration method, or its name in `ev.methods`, as "radau"; None: Runge-Kutta-England
    compile                 "auto": equations run as native code where they can; True: it is an error if they cannot;
                            False: as plain Python, with the same bits except the last of powers and `hypot`
    stepping                "apart": parts that do not affect each other have their own steps; "together": one step for
                            all, which ends at every event, as in the manual of COMBINEDSIMULATION
    negative_hold           what a process that holds for less than 0 does: "raise" an error, or "zero": it counts as 0,
                            as in SIMULA and the manual
    rng, seed               entropy of the random streams: None (fresh), an int, or anything of numpy's that has some
    replication             the number of this run among those of the same entropy, from 0 on: each has random numbers
                            of its own
    antithetic              whether these mirror those of the run without: 1 - u for each uniform u of every stream
    """

    __slots__ = ("_dt_max", "_dt_min")

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        refuse_reserved(cls)

    if not TYPE_CHECKING:

        def __new__(cls, *unnamed: object, **options: object) -> Self:
            """A simulation, once its options are known to be some."""
            if cls.__init__ is Simulation.__init__:
                settings = Simulation.__init__.__kwdefaults__
                if unnamed:
                    known = ", ".join(f"{name}=" for name in settings)
                    raise TypeError(f"Simulation(...) takes {known} by name, and got {unnamed[0]!r} without one")
                if not options.keys() <= settings.keys():
                    refuse_unknown("Simulation(...)", settings, [name for name in options if name not in settings])
            return super().__new__(cls)

    def __init__(
        self,
        *,
        rel_error: float = 1e-6,
        abs_error: float = 1e-9,
        dt_min: float = 0.0,
        dt_max: float = inf,
        stepping: Literal["apart", "together"] = "apart",
        compile: Literal["auto"] | bool = "auto",  # noqa: A002  # the word for it
        cascades: Literal["raise", "warn"] = "raise",
        time_unit: str = "",
        method: Method | Multistep | Newton | str | None = None,
        negative_hold: Literal["raise", "zero"] = "raise",
        rng: Rng = None,
        seed: Rng = None,
        replication: int = 0,
        antithetic: bool = False,
    ) -> None:
        if rng is not None and seed is not None:
            raise TypeError(f"rng= and seed= are one thing, and got {rng!r} and {seed!r}: give one of them")
        if not isinstance(antithetic, bool):
            raise ModelError(f"antithetic= takes True or False, and got {antithetic!r}")
        if isinstance(replication, bool) or not hasattr(replication, "__index__") or index(replication) < 0:
            raise ModelError(f"replication= takes the number of a run, from 0 on, and got {replication!r}")
        super().__init__(seed if rng is None else rng, index(replication), antithetic)
        if negative_hold not in {"raise", "zero"}:
            raise ModelError(f'negative_hold= takes "raise" or "zero", and got {negative_hold!r}')
        self.negative_hold = negative_hold
        if not isinstance(time_unit, str):
            raise TypeError(f'time_unit= takes the name of a unit, as "s", and got {time_unit!r}')
        self.time_unit = time_unit
        if compile != "auto" and not isinstance(compile, bool):
            raise ModelError(f'compile= takes "auto", True or False, and got {compile!r}')
        self._compile = compile
        if stepping not in {"apart", "together"}:
            raise ModelError(f'stepping= takes "apart" or "together", and got {stepping!r}')
        self._stepping = stepping
        if cascades not in {"raise", "warn"}:
            raise ModelError(f'cascades= takes "raise" or "warn", and got {cascades!r}')
        self.cascades = cascades
        relative = to_float(rel_error, "rel_error=") if isinstance(rel_error, int) else rel_error
        absolute = to_float(abs_error, "abs_error=") if isinstance(abs_error, int) else abs_error
        self.rel_error, self.abs_error = check_tolerances(relative, absolute)
        self.dt_min = dt_min
        self.dt_max = dt_max
        self._log: EventLog | None = None
        self._seen = 0
        """How many of its events `rows/loading.py` knows of."""
        self._recordings: list[Recording | PopulationRecording] = []
        if TYPE_CHECKING:  # see `fix`
            self.compile, self.stepping, self.recordings = compile, stepping, self._recordings
            self.entropy, self.replication, self.antithetic = self._entropy, replication, antithetic
        self.dense_outputs: DenseOutputs | None = None
        """What finds quantities that are to be known between the rows, too, as they are recorded."""
        if method is not None:
            self.method = method

    # --- settings that may change ---------------------------------------------------------------------------------

    @property
    def dt_min(self) -> float:
        """The shortest step, and how closely state events are located; 0: to the last float."""
        return self._dt_min

    @dt_min.setter
    def dt_min(self, step: float) -> None:
        self._dt_min = to_float(in_time_unit(check_number(step, "dt_min"), self.time_unit, "dt_min"), "dt_min")
        self._changes.note_limits()

    @property
    def dt_max(self) -> float:
        """The longest step."""
        return self._dt_max

    @dt_max.setter
    def dt_max(self, step: float) -> None:
        self._dt_max = to_float(in_time_unit(check_number(step, "dt_max"), self.time_unit, "dt_max"), "dt_max")
        self._changes.note_limits()

    # --- the continuous half, made when it is first used -----------------------------------------------------------

    @cached_property
    def _continuum(self) -> System:
        from eventide.compilation import make_integrator
        from eventide.continuous import System
        from eventide.monitor.left_out import ForgottenComponents

        system = System(self, make_integrator)
        self._forgotten.besides = ForgottenComponents(system)
        return system

    @cached_property
    def _the_monitor(self) -> Monitor:
        from eventide.monitor import Monitor

        return Monitor(self, self._continuum)

    def _numbers(self, horizon: float, count: int) -> Iterator[int]:
        events, cost = self.events - self._events_before, BESIDE_FLOWS if "_continuum" in self.__dict__ else 1
        enough = ENOUGH // 2 // cost
        early = min(EARLY if cost == 1 else EARLY_BESIDE_FLOWS, enough)
        if events < enough:
            count = min(count, (early if events < early else min(2 * events, enough)) - events)
            if events < early:
                return super()._numbers(horizon, count)
        if self.compile is not False and not self._is_stepped and self._may_go(events, cost):
            assert self._migration is not None
            return self._migration.numbers(horizon, count)
        if self._migration is not None:
            count = min(count, max(self._migration.due - self.events, SOON, events // 16))
        return super()._numbers(horizon, count)

    def _may_go(self, events: int, cost: int) -> bool:
        """Whether processes are rows after this many events of a run, or may become rows from now on."""
        from eventide.rows import loading

        if events < ENOUGH // cost and not loading.may_pay():
            return False
        if events < ENOUGH // 2 // cost and not loading.may_go_early():
            return False
        self._note_events()
        if self._migration is None:
            if not loading.may_pay():
                return False
            from eventide.migration.row_migration import RowMigration

            self._migration = RowMigration(self, self._make_bodies)
        return self._migration.may_go(self.events)

    def _note_events(self) -> None:
        """Count the events in Python since the last time, also those of a run that has just ended."""
        from eventide.rows import loading

        events = self.events - (0 if self._migration is None else self._migration.taken)
        fresh, self._seen = events - self._seen, events
        loading.note(fresh * (BESIDE_FLOWS if "_the_monitor" in self.__dict__ else 1))

    def _come_to_rest(self) -> None:
        super()._come_to_rest()
        if self.compile is not False:
            self._note_events()

    def _make_bodies(self) -> Bodies:
        from eventide.migration.bodies import Bodies, native_rows

        return Bodies(self, native_rows)

    def _watch(self) -> None:
        if self._migration is not None and self._migration.is_any_away:
            if self._migration.inner is self._the_monitor:
                return
            self._migration.leave()
        if self._is_running and self._hook is None:
            self._keyboard.let_others_wait()
        self._hook = self._the_monitor

    @property
    def _made_integrator(self) -> Integrator | None:
        # What is not there yet may be being made, perhaps by the very code that a signal has interrupted.
        return self._continuum.integrator if "_continuum" in self.__dict__ else None

    def _return_soon(self) -> None:
        integrator = self._made_integrator
        if integrator is not None:
            integrator.return_soon()

    @contextmanager
    def _hidden(self) -> Iterator[None]:
        integrator = self._made_integrator
        flows = [] if integrator is None else list(integrator.flows.values())
        before = [flow.at for flow in flows]
        for flow in flows:
            flow.at = nan  # amid a step Python code is refused what has not been shown to it
        try:
            yield
        finally:
            for flow, at in zip(flows, before, strict=True):
                flow.at = at

    def _fail(self, error: BaseException) -> None:
        self._continuum.integrator.host.fail(error)

    @property
    def monitor(self) -> Monitor:
        """What advances the model from event to event, for inspection."""
        return self._the_monitor

    @property
    def method(self) -> Method | Multistep | Newton:
        """The integration method; it may be exchanged at any event. Raises ModelError if it is set to what is none."""
        return self._continuum.integrator.method

    @method.setter
    def method(self, method: Method | Multistep | Newton | str) -> None:
        self._continuum.integrator.method = method

    @property
    def laws(self) -> tuple[Continuous, ...]:
        """The active components in the order in which their equations run."""
        return tuple(self._continuum.chain)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The active variables, the one started last foremost."""
        return self._continuum.variables

    @property
    def reporters(self) -> tuple[Reporter, ...]:
        """The active reporters, in the order of their calls."""
        if "_the_monitor" not in self.__dict__:
            return ()
        from eventide.observe import Reporter

        return tuple(one for one in self._the_monitor.observers if isinstance(one, Reporter))

    def set_tolerances(self, *, rel_error: float | None = None, abs_error: float | None = None) -> None:
        """Change the tolerances of the run and of all its present variables."""
        self._continuum.set_all_tolerances(rel_error, abs_error)
        if rel_error is not None:
            self.rel_error = rel_error
        if abs_error is not None:
            self.abs_error = abs_error

    # --- looking at it --------------------------------------------------------------------------------------------

    @overload
    def record(
        self, subject: type[Continuous], /, *, every: Every = "step", events: bool = True, name: str = ""
    ) -> PopulationRecording: ...

    @overload
    def record(
        self,
        *subjects: Subject,
        every: Every = "step",
        events: bool = True,
        dense: bool = False,
        name: str = "",
        **expressions: Named,
    ) -> Recording: ...

    def record(
        self,
        *subjects: Subject | type[Continuous],
        every: Every = "step",
        events: bool = True,
        dense: bool = False,
        name: str = "",
        **expressions: Named,
    ) -> Recording | PopulationRecording:
        """Record components, variables, queues, resources, integrals, named expressions, or all objects of a class.

        Of a queue the length is recorded, of a resource the units in use and the requests that wait; more by name:
        `utilisation=lambda: desk.utilisation`. Names after a component choose among its quantities and plain fields,
        `sim.record(controller, "u", "error")`; of one in which nothing moves all numbers are recorded. An expression is
        a function, or `ev.Expression(function, unit=...)`; a dict has those whose names are not words.
        every       a period; "step": each step's end; "event": only events, and all of them
        events      whether both sides of events are kept in addition to the regular times
        dense       whether the solution is kept between the rows as well, for `recording.at`: to a tenth of the run's
                    tolerances, which takes time and memory for each step
        """
        from eventide.observe import record

        recording = record(self, subjects, expressions, every, events=events, dense=dense, name=name)
        self.recordings.append(recording)
        if self.dense_outputs is not None:
            self.dense_outputs.take(recording)
        return recording

    def integral(self, quantity: Named, *, name: str = "", unit: str = "") -> Integral:
        """The integral over time of a quantity from now on, its average, its minimum and maximum with their times.

        `energy = sim.integral(lambda: pump.power, unit="kW")`; then `energy.value`, `energy.average`, ... Nothing is
        sampled: it sees what the integration method knows between its steps, to the run's tolerances, and both sides
        of every event. It is no state: the run is the same with and without it. `sim.reset_statistics()` resets it.
        quantity    a function without arguments, `ev.Expression(function, unit=...)`, a variable or a level
        unit        of the quantity
        Raises ModelError if it is none of these or not one number, or between events.
        """
        from eventide.observe import Integral

        return self._keep_statistics(Integral(self, quantity, name=name, unit=unit))

    def watch(
        self,
        *subjects: Subject | type[Continuous],
        every: Every | None = None,
        title: str = "",
        where: Literal["notebook", "page"] | None = None,
        port: int = 0,
        **expressions: Named,
    ) -> Watch:
        """Show curves of a run while it continues, in a notebook or on a page of this machine.

        `with sim.watch(ball, every=0.01): sim.run(until=20.0)`, or without `with`: it then ends with the program, or at
        `close()`. It takes what `sim.record` takes; without arguments it shows what the model records, now and later.
        It changes no step and no event.
        every       None: the watch chooses its times, about a thousand in a run and ten a second, for at most a
                    twentieth of the run's time; else as for `sim.record`: all these rows go into the curves, which
                    costs as much as recording them
        where       None: the notebook, if this is one, else a page, whose address is written to standard error
        port        of the page; 0: any that is free
        Raises      ModelError as `sim.record`, for a notebook that is none and between events; MissingLibraryError
                    for a notebook without IPython; OSError if the port is taken
        """
        from eventide.observe import watch

        return watch(self, subjects, expressions, every=every, title=title, where=where, port=port)

    def log(self) -> EventLog:
        """A log of the events from now on: what each did, and its cause; the same log if called again."""
        if self._log is None:
            from eventide.observe.log import EventLog

            self._log = EventLog(self)
        return self._log

    def report(self) -> RunReport:
        """What the run has cost up to now, in counts, and how closely its conditions are monitored. Print it."""
        from eventide.monitor.counts import RunReport, report

        return report(self._the_monitor) if "_the_monitor" in self.__dict__ else RunReport(self.events)

    def explain(self) -> Explanation:
        """Which parts of the model are native code and which are not, where and why, and which share a step.

        Print it for reading. Laws are in the order in which they run, with the laws that they wait for. Call it before
        a run, after it, or at an event.
        """
        from eventide.compilation.account import RowsNote, explain
        from eventide.migration.examination import examined

        away, begun = self._migration, self.processes  # first, as that may return processes to Python
        notes = [] if away is None else list(away.notes)
        notes += examined(self._make_bodies(), begun, notes)
        refused = {} if away is None else away.refused_functions
        observers: list[str] = []
        waiting: list[str] = []
        if "_the_monitor" in self.__dict__:
            observers += self._the_monitor.row_driver.looks.in_python(refused)
            waiting += self._the_monitor.row_driver.waits_of_python()
        taken = 0 if away is None else away.taken
        rows = RowsNote(notes, taken, self.events, observers, waiting) if notes or away else None
        return explain(self._continuum.integrator, rows)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        # A copy would take events from the event list of the original, and step its states.
        raise TypeError(
            f"{self!r} is neither copied nor pickled: build its model again, best by a function marked @ev.model, or "
            "keep results, as recording.to_pandas()"
        )

    def __repr__(self) -> str:
        (_, time), *others = self._told()[:4]
        return f"<Simulation at time {time}: {', '.join(f'{what} {value}' for what, value in others)}>"

    def _repr_html_(self) -> str:
        return as_html(self._told(), title="Simulation")

    def _told(self) -> list[tuple[str, str]]:
        """What there is to tell of its present state, without making what is not there yet."""
        components = self._continuum.components() if "_continuum" in self.__dict__ else []
        started = sum(one.active for one in components)
        alive, asleep = len(self.processes), len(self.never_begun)
        next_time = self.peek()
        rows = [
            ("time", f"{self.time:.6g} {self.time_unit}".rstrip()),
            ("events", str(self.events)),
            ("components", f"{len(components)} ({started} active)" if components else "0"),
            ("processes", f"{alive} ({asleep} more never activated)" if asleep else str(alive)),
            ("next time event", f"{next_time:.6g}" if isfinite(next_time) else "none"),
            ("conditions waited for", str(len(self._conditions))),
            ("entropy", str(self.entropy)),
        ]
        return [*rows, ("method", str(self.method.name))] if components else rows

    # --- what a model may decide for itself -----------------------------------------------------------------------

    def simulation_error(self, error: SimulationError) -> None:
        """Called once when a numbered error ends the run, before it goes up from `run` or `step`.

        Override it to inspect the model at that time; the default notes the step and its limits on the error.
        Source: Helsgaun, COMBINEDSIMULATION manual, 3.20.
        """
        error.add_note(f"dt = {self.dt!r}, dt_min = {self.dt_min!r}, dt_max = {self.dt_max!r}")

    def integration_error(self, variable: Variable) -> bool:
        """Called when `variable` cannot be integrated accurately enough with a step of dt_min.

        Override it to change dt_min, tolerances or method; return True to repeat the step, False to accept it.
        The default raises SimulationError 1.
        """
        if not isfinite(variable.state):
            raise SimulationError(
                1,
                self.time,
                f"{variable.name} is {variable.state!r} where the step begins: a state is a finite number.",
                variable=variable,
            )
        if variable.abs_error == 0.0 and variable.rel_error == 0.0:
            raise SimulationError(
                1,
                self.time,
                f"{variable.name} has tolerances of zero, and no step is as accurate as that: give it an abs_error or "
                "a rel_error above 0.",
                variable=variable,
            )
        raise SimulationError(
            1,
            self.time,
            f"{variable.name} needs steps shorter than dt_min = {self.dt_min!r}, and is {variable.state!r} with rate "
            f"{variable.rate!r}: {_what_to_do(variable, self.dt_min)}",
            variable=variable,
        )


fix(
    Simulation,
    recordings="sim.record(...) adds one",
    entropy="give it from the start, Simulation(rng=...)",
    **{
        name: f"give it from the start, Simulation({name}=...)"
        for name in ("antithetic", "compile", "replication", "stepping")
    },
)

GREAT: Final = 1e6
"""What is larger, and would double in less than the inverse of this, is taken to grow beyond all bounds."""


def _what_to_do(variable: Variable, dt_min: float) -> str:
    """What to look for where a state cannot be integrated accurately enough."""
    size = abs(variable.state)
    if size > GREAT and abs(variable.rate) > GREAT * size:
        return "it grows beyond all bounds in finite time. Look for a sign in its equation, or end it by an event."
    lower = "lower dt_min, " if dt_min else ""
    return f"raise its tolerances, {lower}or look for a rate without bounds, as of a division by what comes to 0."
