"""Components: named maps from inputs to outputs, and what they are made of.

Source: Pannek, Simulation of mechatronic systems, Definitions 5.3, 5.9, 5.12 and 5.13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from eventide.errors import ModelError
from eventide.experiment import Model
from eventide.experiment.results import Settings, Task, perform
from eventide.experiment.systems import Dynamics, Simulations, Simulator
from eventide.methods import Method, Tableau
from eventide.methods.drive import one_step
from eventide.methods.solution import SolutionMethod, Trajectory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


Kind: TypeAlias = Literal["unit", "integration", "system"]
KINDS: Final[tuple[Kind, ...]] = ("unit", "integration", "system")
"""In the order in which they are tested."""

_NAMES: Final = {"t": "start", "x": "state", "u": "signal", "p": "parameters"}
"""What the members of a grid are called by simulators and methods."""
_SETS: Final = {"end": "ends", "start": "starts", "state": "states", "signal": "signals", "parameters": "parameters"}


@dataclass(frozen=True, eq=False)
class Component:
    """A named map, with the components that it is made of.

    map         any function, called with its inputs by name; a `Model`, whose inputs are its parameters; a `Dynamics`
                (t, x, u, p); a simulator, a simulation or a solution method (start, state, signal, parameters, end, law
                or t, x, u, p as a grid has them; a simulator may be given `times` and then returns a `Trajectory`);
                a method or tableau (law, time, state, step), of which one step is made
    parts       the components that it joins: none, or two or more
    Raises      ModelError for a map that is none, for one part alone, and for two components of one name
    """

    name: str
    map: object
    parts: tuple[Component, ...] = ()

    def __post_init__(self) -> None:
        if not self.name:
            raise ModelError("a component has a name, and got ''")
        if not (callable(self.map) or isinstance(self.map, Dynamics | Simulations | SolutionMethod | Method | Tableau)):
            raise ModelError(
                f"component {self.name} is a function, a model, a simulator or a method, and got {self.map!r}"
            )
        object.__setattr__(self, "parts", tuple(self.parts))
        if len(self.parts) == 1:
            raise ModelError(
                f"component {self.name} has one part, {self.parts[0].name}: a component joins two or more: name "
                "what else it is made of, or none"
            )
        named: dict[str, Component] = {}
        for member in self.members():
            if named.setdefault(member.name, member) is not member:
                raise ModelError(f"component {self.name} contains two components {member.name}: give each its name")

    def members(self) -> Iterator[Component]:
        """The component itself and all that it contains, each once, parts before what they are parts of."""
        met: dict[int, Component] = {}
        _collect(self, met)
        return iter(met.values())

    def __contains__(self, other: object) -> bool:
        return any(member is other for member in self.members())

    def measure(self, inputs: Mapping[str, object]) -> object:
        """What the component returns for an input. Source: Definition 5.9."""
        return _measure(self.map, inputs)

    def __repr__(self) -> str:
        parts = f" of {', '.join(part.name for part in self.parts)}" if self.parts else ""
        return f"<Component {self.name}{parts}>"


def _collect(component: Component, met: dict[int, Component]) -> None:
    for part in component.parts:
        _collect(part, met)
    met.setdefault(id(component), component)


def kind_of(component: Component, system: Component) -> Kind:
    """What a test of a component is: of a unit, which has no parts, of the system, or of an integration between them.

    Raises      ModelError if the component is no part of the system
    """
    if component not in system:
        known = ", ".join(member.name for member in system.members())
        raise ModelError(f"{component.name} is no part of {system.name}, which contains: {known}")
    if not component.parts:
        return "unit"
    return "system" if component is system else "integration"


def _measure(what: Any, inputs: Mapping[str, Any]) -> object:
    if isinstance(what, Model):
        task = Task(0, 0, 0, model_values(inputs))
        return perform(what, task, Settings(0, record=None, raises=True))
    if isinstance(what, Dynamics):
        return what.rate(inputs.get("t", 0.0), inputs["x"], inputs.get("u"), inputs.get("p", {}))
    if isinstance(what, Method | Tableau):
        return one_step(what, **inputs)
    if isinstance(what, Simulator | Simulations | SolutionMethod):
        given = {_NAMES.get(name, name): value for name, value in inputs.items()}
        if isinstance(what, SolutionMethod):
            return what.solve(**given)
        if isinstance(what, Simulations):
            sets: dict[str, Any] = {_SETS.get(name, name): [value] for name, value in given.items()}
            run = replace(what, **sets).run()
            return Trajectory(run.times[0], run.trajectories[0]) if len(run) == 1 else run
        if "times" in given:
            return Trajectory(as_times(given["times"]), what.states(**given))
    else:
        given = dict(inputs)
    return what(**given)


def as_times(times: ArrayLike) -> NDArray[np.float64]:
    """Times as an array."""
    import numpy as np

    return np.asarray(times, dtype=float)


def model_values(inputs: Mapping[str, object]) -> Mapping[str, object]:
    """The parameters of a model for an input, which a grid gives as `p`."""
    rest = {name: value for name, value in inputs.items() if name != "p"}
    parameters = inputs.get("p", {})
    return {**rest, **parameters} if isinstance(parameters, Mapping) else inputs
