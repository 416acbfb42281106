"""Write the reference: a page for each group of public names, from the list of them in `eventide/__init__.pyi`.

In: the public names and the rooms that they come from. Out: `docs/reference/*.rst`, written when a build begins and
not kept. Invariant: every public name stands on exactly one page; a room without a group stops the build.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import eventide as ev

GROUPS: dict[str, tuple[str, str]] = {
    "eventide.simulation": ("simulation", "The simulation"),
    "eventide.declare": ("declarations", "Declaring components"),
    "eventide.continuous": ("continuous", "Continuous components"),
    "eventide.monitor": ("continuous", "Continuous components"),
    "eventide.discrete": ("discrete", "Processes, resources, conditions"),
    "eventide.observe": ("observing", "Observing a model"),
    "eventide.experiment": ("experiments", "Experiments"),
    "eventide.analysis": ("analysis", "Optimisation, calibration, prediction, global sensitivity"),
    "eventide.analysis.sensitivity": ("sensitivity", "Sensitivity and linear models"),
    "eventide.statistics": ("statistics-of-a-run", "Statistics of a run"),
    "eventide.errors": ("errors", "Errors and warnings"),
}
"""The room of a public name, its page, and the title of that page; rooms may share one."""

MODULES = {
    "inputs": "Inputs: signals over time",
    "methods": "Integration methods",
    "verify": "Requirements and tests",
    "data": "Data: checking and cleaning tables",
    "view": "Figures",
    "statistics": "Statistics: output analysis",
    "designs": "Designs of experiments",
    "experiment.systems": "Systems x' = f(t, x, u, p)",
}
"""Public modules, each with a page of its own."""


def directive(name: str, thing: Any) -> str:
    """What autodoc is asked for one public name."""
    if inspect.isclass(thing):
        return f".. autoclass:: {name}\n   :members:\n   :undoc-members:\n   :show-inheritance:\n"
    if inspect.isroutine(thing):
        return f".. autofunction:: {name}\n"
    return f".. autodata:: {name}\n   :no-value:\n"


def names_of(module: ModuleType) -> list[str]:
    """The public names of a module: those it lists, or those of the functions and classes that it defines; without
    those that stand in `eventide` itself.
    """
    own = [name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__]
    listed = getattr(module, "__all__", [name for name in own if not name.startswith("_")])
    return [name for name in listed if name not in ev._ROOM_OF]


def page(title: str, module: str, names: list[str], about: str = "") -> str:
    """A page with everything of the names."""
    holder = import_module(module)
    blocks = [directive(name, getattr(holder, name)) for name in names]
    return "\n".join([title, "=" * len(title), "", about, "", f".. currentmodule:: {module}", "", *blocks])


def pages() -> dict[str, str]:
    """The text of each page of the reference, by its file's stem."""
    members: dict[str, list[str]] = {}
    for name, room in ev._ROOM_OF.items():
        if not isinstance(getattr(ev, name), ModuleType):
            members.setdefault(room, []).append(name)
    if unknown := sorted({*members} - {*GROUPS}):
        raise LookupError(f"public names from rooms that have no page of the reference: {', '.join(unknown)}")
    groups: dict[tuple[str, str], list[str]] = {}
    for room, names in members.items():
        groups.setdefault(GROUPS[room], []).extend(names)
    result = {stem: page(title, "eventide", names) for (stem, title), names in groups.items()}
    for module, title in MODULES.items():
        holder = getattr(ev, module, None) or import_module(f"eventide.{module}")
        about = inspect.cleandoc(holder.__doc__ or "").split("\n\n")[0]
        result[module.rpartition(".")[2]] = page(title, holder.__name__, names_of(holder), about)
    return result


def write(folder: Path) -> None:
    """Write the pages and their index; what has not changed keeps its date, so that it is not built anew."""
    folder.mkdir(exist_ok=True)
    texts = pages()
    stems = [*dict.fromkeys(stem for stem, _ in GROUPS.values())] + [module.rpartition(".")[2] for module in MODULES]
    index = ["Reference", "=========", "", "Every public name.", "", ".. toctree::", "   :maxdepth: 1", ""]
    texts["index"] = "\n".join([*index, *(f"   {stem}" for stem in stems)]) + "\n"
    for stem, text in texts.items():
        file = folder / f"{stem}.rst"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", lambda app: write(Path(app.srcdir) / "reference"))
    return {"parallel_read_safe": True}
