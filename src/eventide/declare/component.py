"""The base of every part of a model: declared fields, a constructor made from them, and a name."""

from __future__ import annotations

import inspect
import sys
from dataclasses import replace
from functools import wraps
from operator import index, is_
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, NoReturn, Protocol, SupportsIndex, dataclass_transform, get_origin

from eventide.declare.fields import MISSING, Field, Marker, Role, computed, computed_vector, field, summed
from eventide.declare.given import refuse_missing, refuse_more
from eventide.declare.reserved import LIBRARY, refuse_equality, refuse_handlers, refuse_reserved
from eventide.declare.showing import as_html, public_dir, short
from eventide.errors import ModelError, check_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eventide.simulation import Simulation


MOST_LETTERS: Final = 60
"""Of what a field holds so much is shown in a notebook."""
GENERATED: Final = "<eventide "
"""What the file's name of a function begins with that was written here, for one class."""


# The transform sits on a hidden empty base: only then do the fields of `Component` itself count for a checker.
@dataclass_transform(kw_only_default=True, field_specifiers=(field, computed, computed_vector, summed))
class _Declared:
    pass


class Counting(Protocol):
    """What has named parts.

    _counts     how many have been made of each kind
    """

    _counts: dict[object, int]


def count_new(sim: Counting, kind: object) -> int:
    """Count a new part of a kind; its number makes its default name."""
    number = sim._counts[kind] = sim._counts.get(kind, 0) + 1
    return number


class Component(_Declared):
    """A named part of one simulation, its data declared by annotations as in a dataclass.

    The constructor takes the simulation, then every declared field by keyword, and `name=`.
    """

    if TYPE_CHECKING:
        sim: Simulation = field(kw_only=False)
        name: str = field(default="")

    _specs: ClassVar[dict[str, Field]] = {}
    _size_fields: ClassVar[tuple[str, ...]] = ()
    _installed: ClassVar[dict[str, object]] = {}
    """What stood in the class by the name of each field when it was made."""
    _declarable: ClassVar[tuple[Role, ...]] = ("field",)
    _name: str | None = None
    _number = 0

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        refuse_reserved(cls)
        own = _own_fields(cls)
        _refuse_roles(cls, own)
        inherited: dict[str, Field] = {}
        for base in reversed(cls.__mro__[1:]):
            inherited.update(base.__dict__.get("_specs", {}))
        _refuse_shadows(cls, own, inherited)
        _refuse_what_would_not_count(cls, own, inherited)
        cls._specs = {**inherited, **own}
        cls._size_fields = _size_fields(cls)
        for name, spec in own.items():
            _install_default(cls, name, spec)
        cls._lay_out()
        cls._installed = {name: cls.__dict__.get(name, MISSING) for name in cls._specs}
        if "__init__" not in cls.__dict__:
            cls.__init__ = cls._constructor()  # type: ignore[method-assign]  # made to measure per class
        elif not cls.__module__.startswith("eventide."):
            cls.__init__ = _completed(cls, cls.__init__)  # type: ignore[method-assign]  # the user's own, wrapped

    def __init__(self, sim: Simulation, *, name: str = "") -> None:
        self._attach(sim, name)
        self._complete()

    def _attach(self, sim: Simulation, name: str) -> None:
        """Make the component a part of `sim`; rooms that keep data elsewhere extend this."""
        try:
            counts, kind = sim._counts, type(self)  # as `count_new`, which would cost a call for each component
            self._number = counts[kind] = counts.get(kind, 0) + 1
        except AttributeError:
            raise TypeError(
                f"{type(self).__name__}(...) takes the simulation first, and got {sim!r}: "
                f"write {type(self).__name__}(sim, ...), with sim = eventide.Simulation()"
            ) from None
        if self._number == 1:  # and not as the class is made: `@dataclass` gives it a comparison afterwards
            refuse_equality(kind)
            if "state" not in kind._declarable:
                refuse_handlers(kind)
        self.sim = sim
        if name:
            self._name = check_text(name, "name=")

    @classmethod
    def _constructor(cls) -> Callable[..., None]:
        """That of a class that writes none: the one written in a class of the user's above, or one made of its fields.

        The class above may be no component, but a mixin in front of one. Rooms whose own classes have written ones
        extend this.
        """
        mixins = mixins_of(cls)
        for base in cls.__mro__[1:]:
            written = vars(base).get("__init__")
            if written is None:
                continue
            if base in mixins:
                _refuse_dead_ends(cls, mixins)
                return _completed(cls, _with_fields(cls, _component_behind(cls, base), written), is_derived=True)
            if issubclass(base, Component) and _is_written(written):
                return _completed(cls, _with_fields(cls, base, written), is_derived=True)
        return make_constructor(cls)

    @classmethod
    def _lay_out(cls) -> None:
        """The fields of a class are known; rooms that keep their values elsewhere extend this."""

    @classmethod
    def _settings(cls, names: list[str]) -> list[str]:
        """The lines of the constructor by which its arguments are kept, to which other names than theirs begin with __.

        Rooms that keep values elsewhere override this.
        """
        return [f"self.{name} = {name}" for name in names]

    @classmethod
    def _refuse_late(cls) -> None:
        """Raise ModelError for fields that came after the class was made; rooms with other declarations extend this."""
        for base in cls.__mro__:
            own = vars(base)
            installed: Mapping[str, object] = own.get("_installed", {})
            late = [name for name, value in installed.items() if own.get(name, MISSING) is not value]
            if base.__module__[:9] != LIBRARY:
                late += [name for name, value in list(own.items()) if isinstance(value, Field)]
            for name in late:
                raise ModelError(
                    f"{base.__name__}.{name} was set after the class was made, and objects still use what it was made "
                    f"with: write `{name}: ... = ...` in the body of the class, or of one derived from it; or give the "
                    f"value to each object, as in {base.__name__}(sim, {name}=...)"
                )

    def _measure(self, **sizes: object) -> None:
        """Before the object is attached: set the fields with the sizes of vectors; only called where there are such."""

    def _complete(self) -> None:
        """The fields are set; rooms that derive something from them extend this."""
        self.prelude()

    def prelude(self) -> None:
        """Called once when the component has been made and its fields are set; does nothing by default."""

    if not TYPE_CHECKING:

        @property
        def name(self) -> str:
            """The name in columns, errors and traces: as given, else the class and a number."""
            return self._name or self._default_name()

        @name.setter
        def name(self, value: str) -> None:
            self._name = check_text(value, "name")

    def _default_name(self) -> str:
        return f"{type(self).__name__} {self._number}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        # A copy would have the places of the original in the tables, queues and lists of its simulation.
        kind = type(self).__name__
        raise TypeError(
            f"{self.name} is a part of its simulation and is neither copied nor pickled: make another by {kind}(sim, "
            "...), or take its values"
        )

    __dir__ = public_dir

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def _repr_html_(self) -> str:
        rows = []
        for name, spec in self._specs.items():
            value = getattr(self, name, "")
            shown = short(value) if isinstance(value, float) else str(value)[:MOST_LETTERS]
            rows.append((name, shown, spec.unit, spec.description))
        return as_html(rows, ("", "value", "unit", "meaning"), title=self.name)


def fields_of(component: object) -> dict[str, Field]:
    """The declared fields of a component, or of a class of components, by name; none of anything else."""
    # Not `_fields`: Python's `help` takes what has that for a named tuple, and shows its private names.
    found: dict[str, Field] = getattr(component, "_specs", {})
    return found


def refuse_late(cls: type[Component]) -> None:
    """Raise ModelError if a class or a base has got a field, a handler or another value for a field after it was made.

    Its objects are as the class was made; what it has by the name of a field would hide their values.
    """
    cls._refuse_late()


class ClassContents:
    """What stands in a class and its bases, but for those of the library, so that a change is seen at once.

    That includes what functions are marked with, as handlers are. It is compared as each run begins and ends: so what
    cannot change, as in `object`, is left out, and functions without a mark are only asked whether they have one now.
    Another thread, with a simulation of its own, may add to a class meanwhile.
    """

    def __init__(self, cls: type) -> None:
        self._class, self._order = cls, cls.__mro__
        bases = [base for base in self._order if base.__module__[:9] != LIBRARY and base is not object]
        spaces: list[MappingProxyType[str, object] | dict[str, object]] = [vars(base) for base in bases]
        functions = [vars(one) for space in spaces for one in space.copy().values() if type(one) is FunctionType]
        marked = [space for space in functions if space]
        self._unmarked = [space for space in functions if not space]
        copies = [(space, space.copy()) for space in (*spaces, *marked)]
        self._spaces = [(space, tuple(copy), tuple(copy.values())) for space, copy in copies]

    @property
    def are_current(self) -> bool:
        """Whether there is the same."""
        if self._class.__mro__ is not self._order or any(self._unmarked):
            return False
        for space, names, values in self._spaces:
            copy = space.copy()
            if tuple(copy) != names or not all(map(is_, values, copy.values())):
                return False
        return True


def _own_fields(cls: type) -> dict[str, Field]:
    """The fields that this class adds, in the order of their text."""
    found: dict[str, Field] = {}
    for name, annotation in inspect.get_annotations(cls).items():
        resolved = _resolve(cls, annotation)
        if get_origin(resolved) is ClassVar or resolved is ClassVar or name.startswith("__"):
            continue
        found[name] = replace(_specify(cls, name, resolved), name=name, annotation=resolved)
    for name, value in cls.__dict__.items():
        if isinstance(value, Field) and name not in found:
            raise TypeError(f"{cls.__name__}.{name} has no annotation: write `{name}: ev.{_word(value)} = ...`")
    return found


_WORDS: Final[dict[Role, str]] = {
    "state": "State",
    "computed": "Computed",
    "sum": "Summed",
    "vector": "StateVector",
    "computed vector": "ComputedVector",
    "field": "SomeType",
}
_CALLS: Final[dict[Role, str]] = {
    "computed": "computed()",
    "sum": "summed()",
    "vector": "state_vector(size=...)",
    "computed vector": "computed_vector(size=...)",
}
"""The calls without which a role cannot be declared."""


def _word(spec: Field) -> str:
    return _WORDS[spec.role]


def _annotated(annotation: object, role: Role) -> str:
    """An annotation as it is written."""
    if role != "field":
        return _WORDS[role]
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _specify(cls: type, name: str, annotation: object) -> Field:
    """Combine the annotation with the right-hand side."""
    marker = next((m for m in getattr(annotation, "__metadata__", ()) if isinstance(m, Marker)), None)
    role = marker.role if marker else "field"
    given = cls.__dict__.get(name, MISSING)
    if role == "field":
        _refuse_shared(cls, name, given.default if isinstance(given, Field) else given)
    if isinstance(given, Field):
        if given.role != role:
            raise TypeError(
                f"{cls.__name__}.{name} is annotated as {_annotated(annotation, role)} but its value declares a "
                f"{given.role}: write `{name}: ev.{_word(given)} = ...`"
                + (f", or `{name}: ev.{_WORDS[role]} = ev.{_CALLS[role]}`" if role in _CALLS else "")
            )
        return given
    if role in _CALLS:
        raise TypeError(f"{cls.__name__}.{name}: write `{name}: ev.{_word(Field(role))} = ev.{_CALLS[role]}`")
    return Field(role, given)


def _refuse_shared(cls: type, name: str, default: object) -> None:
    """Raise TypeError for a default that all objects of a class would change together."""
    if isinstance(default, list | dict | set):
        kind = type(default).__name__
        factory = f"lambda: {default!r}" if default else kind
        raise TypeError(
            f"{cls.__name__}.{name} would share one {kind} among all its objects: "
            f"write `ev.field(default_factory={factory})`"
        )


def _resolve(cls: type, annotation: object) -> object:
    """An annotation as an object; a name that is not known yet stays a string (it refers to a component)."""
    if not isinstance(annotation, str):
        return annotation
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") != cls.__module__:
        frame = frame.f_back
    module = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else frame.f_globals
    try:
        return eval(annotation, dict(module), {**frame.f_locals, **vars(cls)})  # noqa: S307  # the class's own text
    except Exception:  # noqa: BLE001  # an annotation may be anything; what cannot be read is a reference
        return annotation


def _is_shown(base: type) -> bool:
    return base is not Component and not base.__name__.startswith("_")


def _refuse_shadows(cls: type, own: dict[str, Field], inherited: dict[str, Field]) -> None:
    """Raise TypeError for fields with names of eventide's own; one of its fields may get another default."""
    libraries = [base for base in cls.__mro__[1:] if base.__module__.startswith("eventide.")]
    new = [name for name in own if name not in inherited]
    taken = [name for name in new if any(name in vars(base) or name in ("sim", "name") for base in libraries)]
    if taken and not cls.__module__.startswith("eventide."):
        raise TypeError(
            f"{cls.__name__} declares {', '.join(taken)}, which eventide itself uses in "
            f"{' and '.join(base.__name__ for base in libraries if _is_shown(base))}: choose other names"
        )


def _refuse_what_would_not_count(cls: type[Component], own: dict[str, Field], inherited: dict[str, Field]) -> None:
    """Raise TypeError for fields in a class that is not a component, for a field of a base that gets no annotation, and
    for a `__post_init__`, which only the constructor of a dataclass calls.
    """
    if hasattr(cls, "__post_init__") and "__init__" not in vars(cls):
        raise TypeError(
            f"{cls.__name__}.__post_init__ would never be called: name it `prelude`, which is called once the fields "
            "of an object are set"
        )
    for base in cls.__mro__[1:]:
        for name, value in vars(base).copy().items():  # another thread may add to it meanwhile
            if isinstance(value, Field):
                kind = "Component" if value.role == "field" else "Continuous"
                raise TypeError(
                    f"{base.__name__}.{name} declares a {value.role}, and {base.__name__} is not a component: "
                    f"write `class {base.__name__}(ev.{kind})`"
                )
    for name, value in vars(cls).items():
        if name not in inherited or name in own:
            continue
        if getattr(value, "fset", None) is not None and "state" not in cls._declarable:
            continue  # a property with a setter: the constructor of what keeps its values itself calls it
        spec = inherited[name]
        what = f"ev.{_WORDS[spec.role]}" if spec.role != "field" else _annotated(spec.annotation, "field")
        advice = f"write `{name}: {what} = ...`, as the field is declared"
        raise TypeError(
            f"{cls.__name__}.{name} takes the name of a {spec.role} that {cls.__name__} inherits, and would not count: "
            f"{'choose another name' if hasattr(value, '__get__') else advice}"
        )


def _refuse_roles(cls: type[Component], own: dict[str, Field]) -> None:
    for name, spec in own.items():
        if spec.role not in cls._declarable:
            raise TypeError(
                f"{cls.__name__} declares the {spec.role} {name}, and is not a Continuous: "
                f"write `class {cls.__name__}(..., ev.Continuous)`"
            )


def _size_fields(cls: type[Component]) -> tuple[str, ...]:
    """The fields with the sizes of vectors, in order; raises TypeError for a size that is none."""
    found: dict[str, None] = {}
    for name, spec in cls._specs.items():
        if spec.role not in ("vector", "computed vector"):
            continue
        if isinstance(spec.size, str):
            told = cls._specs.get(spec.size)
            if told is None or told.role != "field" or told.annotation is not int:
                raise TypeError(
                    f"{cls.__name__}.{name} has the size {spec.size!r}, which is not an `int` field of the class: "
                    f"declare `{spec.size}: int`, or write the size as a number"
                )
            found[spec.size] = None
        elif not _is_size(spec.size):
            raise TypeError(
                f"{cls.__name__}.{name} has the size {spec.size!r}: it takes a whole number from 1 on, "
                "or the name of an `int` field"
            )
    return tuple(found)


def _is_size(size: object) -> bool:
    return isinstance(size, SupportsIndex) and not isinstance(size, bool) and index(size) >= 1


def _install_default(cls: type, name: str, spec: Field) -> None:
    if spec.default is not MISSING and spec.role == "field":
        setattr(cls, name, spec.default)
    elif isinstance(cls.__dict__.get(name), Field):
        delattr(cls, name)


def make_constructor(cls: type[Component]) -> FunctionType:
    """Write `__init__` out once per class: keyword arguments, then one assignment for each field."""
    arguments, checks = [], []
    names: dict[str, object] = {"_missing": MISSING, "_refuse": refuse_missing, "_refuse_more": refuse_more}
    for name, spec in cls._specs.items():
        if not spec.is_argument:
            continue
        default = f"_default_{name}"
        names[default] = MISSING if spec.is_required or spec.factory else spec.default
        arguments.append(f"{name}={default}")
        if spec.is_required:
            checks.append(f"    if {name} is _missing: _refuse(self, locals())")
        elif spec.factory:
            names[f"_factory_{name}"] = spec.factory
            checks.append(f"    if {name} is _missing: {name} = _factory_{name}()")
    star = ", *_given, " + ", ".join([*arguments, "name=''", "**_unknown"])
    checks.insert(0, "    if _given or _unknown: _refuse_more(self, _given, _unknown)")
    if cls._size_fields:
        checks.append(f"    self._measure({', '.join(f'{name}={name}' for name in cls._size_fields)})")
    body = [f"    {line}" for line in cls._settings([name for name, spec in cls._specs.items() if spec.is_argument])]
    if _completes(cls):
        body.append("    self._complete()")
    source = "\n".join([f"def __init__(self, sim{star}):", *checks, "    self._attach(sim, name)", *body])
    # The name shows a reader of a traceback what this code is.
    exec(compile(source, f"{GENERATED}{cls.__qualname__}.__init__>", "exec"), names)  # noqa: S102  # our own text
    constructor = names["__init__"]
    assert isinstance(constructor, FunctionType)
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    constructor.__module__ = cls.__module__
    shown = inspect.signature(constructor)
    taken = [one for one in shown.parameters.values() if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    constructor.__signature__ = shown.replace(parameters=taken)  # type: ignore[attr-defined]  # for `help`
    return constructor


def _with_fields(cls: type[Component], base: type[Component], written: Callable[..., None]) -> Callable[..., None]:
    """A constructor that does what a base has written, and then sets the fields that are declared below the base.

    Those with the sizes of vectors keep their defaults: the vectors are there before.
    """
    new = {
        name: spec
        for name, spec in cls._specs.items()
        if spec.is_argument and base._specs.get(name) is not spec and name not in cls._size_fields
    }

    @wraps(written)
    def construct(self: Component, *arguments: object, **options: object) -> None:
        given = {name: options.pop(name, MISSING) for name in new}
        if any(spec.is_required and given[name] is MISSING for name, spec in new.items()):
            refuse_missing(self, {**dict.fromkeys(self._specs), **given})
        written(self, *arguments, **options)
        for name, spec in new.items():
            value = spec.factory() if given[name] is MISSING and spec.factory is not None else given[name]
            if value is not MISSING:
                setattr(self, name, value)

    return construct


def mixins_of(cls: type[Component]) -> list[type]:
    """The plain classes with an `__init__` that stand in front of a component among the bases, in their order."""
    return [
        base
        for base in cls.__mro__[1 : cls.__mro__.index(Component)]
        if "__init__" in vars(base)
        and not issubclass(base, Component)
        and not getattr(base, "_is_protocol", False)
        and not base.__module__.startswith("eventide.")
    ]


def _component_behind(cls: type[Component], mixin: type) -> type[Component]:
    """The component whose constructor the `super().__init__` of a mixin comes to."""
    return next(base for base in cls.__mro__[cls.__mro__.index(mixin) :] if issubclass(base, Component))


def _refuse_dead_ends(cls: type[Component], mixins: list[type]) -> None:
    """Raise TypeError for a mixin whose `__init__` calls no other, so that no component would be made."""
    for mixin in mixins:
        code = getattr(inspect.unwrap(vars(mixin)["__init__"]), "__code__", None)
        if code is None or "__init__" not in code.co_names:
            raise TypeError(
                f"{cls.__name__} has {mixin.__name__} in front of {_component_behind(cls, mixin).__name__}, and "
                f"{mixin.__name__}.__init__ does not call super().__init__(sim, ...): write "
                "`def __init__(self, *arguments, **options)` with `super().__init__(*arguments, **options)` in it; "
                f"or give {cls.__name__} an __init__ of its own that calls both"
            )


def _completed(cls: type[Component], written: Callable[..., None], *, is_derived: bool = False) -> Callable[..., None]:
    """The user's own `__init__`, which has to call that of eventide's class; told where the object is made.

    is_derived      it is that of a class above: what is to be done once the fields are set waits for those of the class
    """
    above = next(
        own
        for base in cls.__mro__[1:]
        if issubclass(base, Component) and (own := vars(base).get("__init__")) and not _is_written(own)
    )
    calls_prelude = _completes(cls) and (is_derived or "_complete" not in above.__code__.co_names)

    @wraps(written)
    def construct(self: Component, *arguments: object, **options: object) -> None:
        waits = is_derived and calls_prelude and type(self) is cls
        if waits:
            object.__setattr__(self, "_complete", _do_nothing)
        try:
            written(self, *arguments, **options)
        except (AttributeError, IndexError) as error:
            if not self._number and _is_met_in_eventide(error):
                raise ModelError(_what_to_call(cls)) from error
            raise
        if not self._number and type(self) is cls:
            raise ModelError(_what_to_call(cls))
        if waits:
            object.__delattr__(self, "_complete")
        if calls_prelude and type(self) is cls:
            self._complete()

    return construct


def _do_nothing() -> None:
    """In place of `_complete` while there are fields to be set."""


def _is_written(constructor: Callable[..., None]) -> bool:
    """Whether a constructor is the user's own, as `_completed` has left it."""
    return hasattr(constructor, "__wrapped__")


def _completes(cls: type[Component]) -> bool:
    """Whether there is something to do once the fields of an object are set."""
    return any(getattr(cls, name) is not getattr(Component, name) for name in ("_complete", "prelude"))


def _is_met_in_eventide(error: Exception) -> bool:
    """Whether an error was raised by our code, as that behind a state, and not by a user's line."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    # What we have written out ourselves, as the properties of states, is of no module.
    return traceback is not None and str(traceback.tb_frame.f_globals.get("__name__", "eventide.")).startswith(
        "eventide."
    )


def _what_to_call(cls: type[Component]) -> str:
    return (
        f"the __init__ of {cls.__name__} has not called super().__init__(sim, ...), which makes it a part of the "
        "simulation: write that as its first line; or write no __init__ but fields, as `size: float = 1.0`, and "
        f"{cls.__name__}(sim, size=2.0) sets them"
    )


def check_same_simulation(sim: object, component: Component) -> None:
    """Raise ModelError if `component` belongs to another simulation than `sim`."""
    if component.sim is not sim:
        raise ModelError(
            f"{component.name} belongs to another simulation: each object lives in the one it was made for"
        )
