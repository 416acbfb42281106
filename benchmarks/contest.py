"""Contestants, each in a process of its own, take turns at a workload.

A round lets every contestant run once, so that what slows the machine for a while slows all of them; ratios are taken
within rounds. A contestant's first, untimed run is a quick one: it imports the library and compiles what it compiles.
Everybody then runs for a second, once at least, that does not count: some compile only what has run for a while.
"""

import gc
import resource
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata, util
from math import isclose, nan
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from traceback import format_exc
from types import ModuleType
from typing import Any, Self

from workloads import Size, Workload

PROGRAMS = Path(__file__).resolve().parent / "programs"
Result = dict[str, float]
OWN = {"eventide", "bare"}
"""Libraries whose failure is ours."""
ENOUGH = 0.1  # seconds of runs in one turn
WARM = 1.0  # seconds of runs before the first turn
PATIENCE = 0.5  # seconds of making models in one turn
MANY = 25  # runs in one turn


@dataclass(frozen=True)
class Contestant:
    """A program for a workload: `with_eventide_class.py` is eventide-class, of the library eventide."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.stem.removeprefix("with_").replace("_", "-")

    @property
    def library(self) -> str:
        return self.name.partition("-")[0]

    def load(self) -> ModuleType:
        """Import the program; raises ImportError if its library is not installed."""
        name = f"{self.path.parent.name}_{self.path.stem}"
        spec = util.spec_from_file_location(name, self.path)
        assert spec is not None
        assert spec.loader is not None
        program = util.module_from_spec(spec)
        sys.modules[name] = program  # numba and the fields of classes look their module up there
        spec.loader.exec_module(program)
        return program

    def version(self, program: ModuleType) -> str:
        """The version of its library, whose package may have another name: the program's PACKAGE."""
        try:
            return metadata.version(getattr(program, "PACKAGE", self.library))
        except metadata.PackageNotFoundError:
            return ""


def contestants_of(workload: Workload, only: Iterable[str] = ()) -> list[Contestant]:
    """The contestants of a workload: eventide first, the bare loop last; `only` names libraries or contestants."""
    found = [Contestant(path) for path in sorted((PROGRAMS / workload.folder).glob("with_*.py"))]
    if workload.entrants:
        found = [one for one in found if one.name in workload.entrants]
    wanted = set(only)
    if wanted:
        found = [one for one in found if one.name in wanted or one.library in wanted]
    return sorted(found, key=lambda one: (one.library != "eventide", one.library == "bare", one.name == "bare"))


@dataclass
class Standing:
    """What became of one contestant in one workload."""

    contestant: Contestant
    size: Size
    version: str = ""
    has_own_draws: bool = False
    first: float = 0.0
    """Seconds to import its library and to make its first, quick run."""
    result: Result = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    preparing: list[float] = field(default_factory=list)
    """Seconds to make the model, of those who time that apart."""
    wrong: list[str] = field(default_factory=list)
    """Which of its results are not what is known to be right, in words."""
    megabytes: float = 0.0
    """Most memory that its process ever had."""
    trouble: str = ""
    """Why it takes no part."""

    @property
    def name(self) -> str:
        return self.contestant.name


class Worker:
    """A contestant in a process of its own; leaving the `with` block ends it."""

    def __init__(self, contestant: Contestant) -> None:
        context = get_context("spawn")
        self._connection, self._there = context.Pipe()
        self._process = context.Process(target=_serve, args=(self._there, contestant), daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        self._there.close()  # with it open here, the end of the process would not be noticed
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        self._process.join(timeout=10.0)
        if self._process.is_alive():
            self._process.terminate()

    def ask(self, size: Size | None, seed: int = 0) -> dict[str, Any]:
        """What `_serve` answers; without a size the program is only loaded."""
        return self._ask(size, seed, is_warming=False)

    def warm(self, size: Size, seed: int) -> None:
        """Let it run for a while; what stops it then stops it in its first turn, too."""
        self._ask(size, seed, is_warming=True)

    def _ask(self, size: Size | None, seed: int, *, is_warming: bool) -> dict[str, Any]:
        try:
            self._connection.send((size, seed, is_warming))
            return self._connection.recv()
        except (EOFError, OSError):
            self._process.join()
            return {"trouble": f"its process ended with code {self._process.exitcode}"}


def _serve(connection: Connection, contestant: Contestant) -> None:
    program: Any = None
    while True:
        try:
            size, seed, is_warming = connection.recv()
        except EOFError:
            return
        try:
            if size is None:
                begin = perf_counter()
                program = contestant.load()
                own = getattr(program, "OWN_DRAWS", False)
                answer = {
                    "seconds": perf_counter() - begin,
                    "version": contestant.version(program),
                    "has_own_draws": own,
                }
            elif is_warming:
                answer = timed_trials(program, size, seed, enough=WARM)
            else:
                answer = timed(program, size, seed)
        except ModuleNotFoundError as error:
            answer = {"trouble": f"not installed: {error}"}
        except Exception:  # noqa: BLE001  # whatever stops one contestant, the others go on
            answer = {"trouble": format_exc()}
        connection.send(answer)


def timed(program: ModuleType, size: Size, seed: int) -> dict[str, Any]:
    """Run a program once; seconds, results and the most memory so far."""
    gc.collect()
    answer = timed_trials(program, size, seed)
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kilobytes = usage / 1024 if sys.platform == "darwin" else usage
    return answer | {"megabytes": kilobytes / 1024}


class Whole:
    """What a program's function `run` does as one trial: making the model is timed with the run."""

    def __init__(self, program: ModuleType, **arguments: Any) -> None:
        self._work = partial(program.run, **arguments)

    def run(self) -> None:
        self._found = self._work()

    def result(self) -> Result:
        return self._found


def timed_trials(program: ModuleType, size: Size, seed: int, enough: float = ENOUGH) -> dict[str, Any]:
    """Make a model, run it and ask for results, of which only the run counts as `seconds`.

    A short run is repeated, with a new model each time, and the median taken. What counts is the processor's time where
    it is less than the clock's: then others had the machine meanwhile.
    """
    is_apart = hasattr(program, "Trial")
    make = program.Trial if is_apart else partial(Whole, program)
    preparing, seconds = [], []
    most = MANY * enough / ENOUGH
    while not seconds or (sum(seconds) < enough and sum(preparing) < PATIENCE and len(seconds) < most):
        begin = _clocks()
        trial = make(**size, seed=seed)
        ready = _clocks()
        trial.run()
        end = _clocks()
        preparing.append(min(after - before for before, after in zip(begin, ready, strict=True)))
        seconds.append(min(after - before for before, after in zip(ready, end, strict=True)))
    answer = {"seconds": median(seconds), "result": trial.result()}
    return answer | {"preparing": median(preparing)} if is_apart else answer


def _clocks() -> tuple[float, float]:
    return perf_counter(), process_time()


class Contest:
    """A workload and how its contestants did.

    standings       in the order of their turns
    disagreements   results that should be equal and are not, in words
    """

    def __init__(self, workload: Workload, contestants: list[Contestant], *, is_quick: bool, seed: int) -> None:
        self.workload = workload
        self.is_quick = is_quick
        self.seed = seed
        self.standings = [Standing(one, workload.size_for(one.name, is_quick=is_quick)) for one in contestants]
        self.disagreements: list[str] = []

    def hold(self, rounds: int, tell: Callable[[str], None] = lambda text: None) -> None:
        """Let everybody run `rounds` times, in turns."""
        with ExitStack() as stack:
            workers = [(standing, stack.enter_context(Worker(standing.contestant))) for standing in self.standings]
            for standing, worker in workers:
                tell(f"{self.workload.name}: {standing.name} begins")
                self._begin(standing, worker)
            rounds = min(rounds, self.workload.most_rounds)
            for number in range(1, rounds + 1):
                for standing, worker in workers:
                    if not standing.trouble:
                        tell(f"{self.workload.name}: round {number} of {rounds}, {standing.name}")
                        self._run(standing, worker)
            self._judge()
            self._compare(workers)

    def _begin(self, standing: Standing, worker: Worker) -> None:
        loaded = worker.ask(None)
        if "trouble" not in loaded:
            standing.version, standing.has_own_draws = loaded["version"], loaded["has_own_draws"]
            standing.first = loaded["seconds"]
            loaded = worker.ask(self.workload.quick, self.seed)
        if "trouble" in loaded:
            standing.trouble = loaded["trouble"]
        else:
            standing.first += loaded["seconds"] + loaded.get("preparing", 0.0)
            if not self.is_quick:
                worker.warm(standing.size, self.seed)

    def _run(self, standing: Standing, worker: Worker) -> None:
        answer = worker.ask(standing.size, self.seed)
        if "trouble" in answer:
            standing.trouble = answer["trouble"]
        elif standing.result and standing.result != answer["result"]:
            standing.trouble = f"two runs differ: {standing.result} and {answer['result']}"
        else:
            standing.result = answer["result"]
            standing.seconds.append(answer["seconds"])
            if "preparing" in answer:
                standing.preparing.append(answer["preparing"])
            standing.megabytes = answer["megabytes"]

    def _compare(self, workers: list[tuple[Standing, Worker]]) -> None:
        """Compare results with those of the last contestant, which repeats the smaller sizes if need be."""
        comparable = [(one, worker) for one, worker in workers if self._is_comparable(one)]
        if not comparable:
            return
        *others, (judge, worker) = comparable
        for standing, _ in others:
            truth = judge.result
            if standing.size != judge.size:
                truth = worker.ask(standing.size, self.seed)["result"]
            self.disagreements += differences(self.workload, standing.name, standing.result, judge.name, truth)

    def _is_comparable(self, standing: Standing) -> bool:
        if standing.trouble or standing.has_own_draws:
            return False
        return self.workload.known is None or standing.contestant.library in OWN

    def _judge(self) -> None:
        """Compare results with what is known; a wrong one of a peer is only shown."""
        for standing in self.taking_part:
            standing.wrong = errors(self.workload, standing)
            if standing.contestant.library in OWN:
                self.disagreements += [f"{self.workload.name}: {standing.name} has {text}" for text in standing.wrong]

    def rates(self, standing: Standing) -> list[float]:
        """Units per second, round by round."""
        work = self.workload.work(standing.size)
        return [work / seconds for seconds in standing.seconds]

    def units(self, standing: Standing) -> float:
        """How many of what a price is given for: counted by the contestant, or known from the size."""
        price = self.workload.price
        return standing.result.get(price, 0) if price != "unit" else self.workload.work(standing.size)

    def ratios(self, standing: Standing, reference: str) -> list[float]:
        """The rate over that of the reference, round by round; empty if either took no part."""
        other = next((one for one in self.standings if one.name == reference and not one.trouble), None)
        if other is None or standing.trouble:
            return []
        return [rate / base for rate, base in zip(self.rates(standing), self.rates(other), strict=True)]

    def price(self, standing: Standing) -> float:
        """Seconds for one unit, the median of the rounds; NaN where units are not counted."""
        units = self.units(standing)
        return median(standing.seconds) / units if units else nan

    @property
    def taking_part(self) -> Iterator[Standing]:
        return (standing for standing in self.standings if not standing.trouble)


def differences(
    workload: Workload, name: str, found: Mapping[str, float], judge: str, truth: Mapping[str, float]
) -> list[str]:
    """What differs between the results of two contestants, in words."""
    return [
        f"{workload.name}: {name} has {key} = {found.get(key)!r}, {judge} has {truth.get(key)!r}"
        for key, tolerance in workload.agree.items()
        if key not in found or key not in truth or not isclose(found[key], truth[key], rel_tol=tolerance, abs_tol=0.0)
    ]


def errors(workload: Workload, standing: Standing) -> list[str]:
    """Which results are not what is known, in words; a result that a peer cannot give is none."""
    known = workload.known(standing.size) if workload.known else {}
    return [
        f"{key} = {standing.result.get(key)!r}" + (f", right is {value!r}" if value else f", allowed is {margin!r}")
        for key, (value, margin) in known.items()
        if key in standing.result or standing.contestant.library in OWN
        if not abs(standing.result.get(key, nan) - value) <= margin
    ]


def spread(values: list[float]) -> dict[str, float]:
    """Median and least of one number per round."""
    return {"median": median(values), "min": min(values)}
