"""Class diagrams of models and of the library, read off their classes: text for Mermaid.

In: modules. Out: a class diagram in UML's sense: attributes and operations of each class; inheritance (`<|--`);
aggregation (`o--`) where an attribute is annotated with another class, with `*` where it holds many; association
(`-->`) where an operation, or a function that is kept, takes or returns another class. Annotations are read as text, so
that nothing has to be imported for them.

Source: Pannek, Simulation of mechatronic systems, section 1.2.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Final

from eventide.declare import Component, fields_of
from eventide.errors import InputError

MANY: Final = {"list", "tuple", "set", "frozenset", "dict", "deque", "Sequence", "Iterable", "Mapping", "Iterator"}
"""Annotations of what holds more than one."""


def class_diagram(*modules: ModuleType) -> str:
    """The classes that are defined in some modules, and what they inherit from, as text for Mermaid.

    Raises      InputError for modules without classes, and for what is no module
    """
    for module in modules:
        if not isinstance(module, ModuleType):
            raise InputError(f"a class diagram is of modules, and got {module!r}: give the module that has it")
    classes = list(dict.fromkeys(cls for module in modules for cls in _defined_in(module)))
    if not classes:
        raise InputError(f"there are no classes in {', '.join(module.__name__ for module in modules)}")
    names = _names(classes)
    lines = ["classDiagram"]
    for cls in classes:
        lines += [f"    class {names[cls]} {{", *(f"        {line}" for line in _members(cls)), "    }"]
    bases: dict[type, None] = {}
    for cls in classes:
        for base in cls.__bases__:
            if base is not object:
                bases[base] = None
                lines.append(f"    {names.get(base, base.__name__)} <|-- {names[cls]}")
    known = {cls.__name__: names[cls] for cls in classes} | {base.__name__: base.__name__ for base in bases}
    for cls in classes:
        lines += dict.fromkeys(_relations(cls, names[cls], known))
    return "\n".join(lines) + "\n"


def modules_of(package: str) -> list[ModuleType]:
    """A module or all modules of a package, by its dotted name. Raises InputError if there is none."""
    try:
        first = importlib.import_module(package)
    except ImportError as error:
        raise InputError(f"{package} cannot be imported: {error}") from None
    paths = getattr(first, "__path__", None)
    if paths is None:
        return [first]
    found = [one.name for one in pkgutil.walk_packages(paths, f"{package}.") if not one.name.endswith("__main__")]
    return [first, *map(importlib.import_module, sorted(found))]


def _defined_in(module: ModuleType) -> Iterator[type]:
    for value in vars(module).values():
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield value


def _names(classes: Iterable[type]) -> dict[type, str]:
    """A name for each; two of one name have their module before it."""
    plain = [cls.__name__ for cls in classes]
    return {
        cls: cls.__name__ if plain.count(cls.__name__) == 1 else f"{cls.__module__}.{cls.__name__}".replace(".", "_")
        for cls in classes
    }


# --- attributes and operations ---------------------------------------------------------------------------------------


def _members(cls: type) -> list[str]:
    lines = [f"+{f'{_kind(text)} '.lstrip()}{name}{_unit(cls, name)}" for name, text in _fields_in_words(cls).items()]
    for name, function in _operations(cls).items():
        given = ", ".join(
            one.name for one in inspect.signature(function).parameters.values() if one.name not in {"self", "cls"}
        )
        result = _kind(_text(function.__annotations__.get("return")))
        lines.append(f"+{name}({given}){f' {result}' if result else ''}")
    return lines


def _fields_in_words(cls: type) -> dict[str, str]:
    """The public attributes of a class itself and their annotations, properties among them."""
    annotations: dict[str, object] = dict(vars(cls).get("__annotations__", {}))
    if issubclass(cls, Component):  # these have made fields of them
        own = [name for name in fields_of(cls) if all(name not in fields_of(base) for base in cls.__bases__)]
        roles = {name: fields_of(cls)[name].role for name in own}
        annotations = {name: annotations.get(name) if role == "field" else role for name, role in roles.items()}
    found = {
        name: _text(annotation)
        for name, annotation in annotations.items()
        if not name.startswith("_") and "ClassVar" not in _text(annotation)
    }
    stored = fields_of(cls) if issubclass(cls, Component) else {}  # whose properties are no code of the user
    for name, value in vars(cls).items():
        is_public = name not in stored and name not in found and not name.startswith("_")
        if isinstance(value, property) and is_public and value.fget is not None:
            found[name] = _text(getattr(value.fget, "__annotations__", {}).get("return"))
    return found


def _operations(cls: type) -> dict[str, FunctionType]:
    """The public functions of a class itself."""
    found: dict[str, FunctionType] = {}
    for name, value in vars(cls).items():
        function = inspect.unwrap(getattr(value, "__func__", value))
        if isinstance(function, FunctionType) and not name.startswith("_"):
            found[name] = function
    return found


def _unit(cls: type, name: str) -> str:
    """The unit of a declared quantity, in parentheses of which Mermaid makes no operation."""
    if not issubclass(cls, Component):
        return ""
    spec = fields_of(cls).get(name)
    return f" [{spec.unit}]" if spec is not None and spec.unit else ""


def _text(annotation: object) -> str:
    if annotation is None or annotation is inspect.Parameter.empty:
        return ""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _kind(annotation: str) -> str:
    """An annotation as Mermaid writes it: without modules, `list~float~`, and of nested ones the outermost alone."""
    text = re.sub(r"\w+\.", "", annotation.replace("'", "").replace('"', ""))
    text = text.partition("[")[0] if text.count("[") > 1 else text.replace("[", "~").replace("]", "~")
    return re.sub(r"[^\w~,| ]", "", text).strip()


# --- relations -------------------------------------------------------------------------------------------------------


def _relations(cls: type, name: str, known: dict[str, str]) -> Iterator[str]:
    """Aggregations by attributes, and associations by operations with classes that are no attributes."""
    parts: dict[str, None] = {}
    for attribute, text in _fields_in_words(cls).items():
        for word, is_many in _classes_in(text, known):
            parts[word] = None
            if "Callable" in text:
                yield f"    {name} --> {known[word]} : {attribute}"
                continue
            yield f'    {name} o-- "{"*" if is_many else 1}" {known[word]} : {attribute}'
    for operation, function in _operations(cls).items():
        for text in map(_text, function.__annotations__.values()):
            for word, _ in _classes_in(text, known):
                if word not in parts and known[word] != name:
                    yield f"    {name} --> {known[word]} : {operation}"


def _classes_in(annotation: str, known: dict[str, str]) -> Iterator[tuple[str, bool]]:
    """The known classes that an annotation names, and whether there may be many of them."""
    try:
        tree = ast.parse(annotation.strip("'\""), mode="eval")
    except SyntaxError:
        return
    words = [node.id if isinstance(node, ast.Name) else node.attr
             for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)]  # fmt: skip
    is_many = not MANY.isdisjoint(words)
    for word in dict.fromkeys(words):
        if word in known and word not in MANY:
            yield word, is_many
