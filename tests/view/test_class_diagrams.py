"""Class diagrams: what is read off classes, and how it is written for Mermaid."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

import eventide as ev
from eventide.cli import main
from eventide.view import class_diagram
from eventide.view.class_diagrams import modules_of

EXAMPLES = Path(__file__).parents[2] / "examples"


class Valve:
    def turn(self, share: float) -> None:
        self.share = share


class Tank(ev.Continuous):
    area: float = ev.field(default=2.0, unit="m2")
    level: ev.State = ev.state(1.0, unit="m")
    outlets: list[Valve]
    _spare: float = 0.0

    def equations(self) -> None:
        self.rate.level = -self.level / self.area

    @property
    def volume(self) -> float:
        return self.area * self.level


class HotTank(Tank):
    heater: Heater

    def connect(self, other: Tank, *, through: Valve) -> None:
        self.outlets.append(through)


@dataclass(frozen=True)
class Heater:
    power: float
    limits: dict[str, tuple[float, float]]
    law: Callable[[Tank], float]


def of(*classes):
    module = ModuleType("plant")
    for cls in classes:
        setattr(module, cls.__name__, cls)
    return module


@pytest.mark.row("R-314")
def test_attributes_operations_inheritance_aggregation_and_association_are_read_off(monkeypatch):
    classes = (Valve, Tank, HotTank, Heater)
    for cls in classes:
        monkeypatch.setattr(cls, "__module__", "plant")

    assert class_diagram(of(*classes)) == (
        "classDiagram\n"
        "    class Valve {\n"
        "        +turn(share) None\n"
        "    }\n"
        "    class Tank {\n"
        "        +float area [m2]\n"
        "        +state level [m]\n"
        "        +list~Valve~ outlets\n"
        "        +float volume\n"
        "        +equations() None\n"
        "    }\n"
        "    class HotTank {\n"
        "        +Heater heater\n"
        "        +connect(other, through) None\n"
        "    }\n"
        "    class Heater {\n"
        "        +float power\n"
        "        +dict limits\n"
        "        +Callable law\n"
        "    }\n"
        "    Continuous <|-- Tank\n"
        "    Tank <|-- HotTank\n"
        '    Tank o-- "*" Valve : outlets\n'
        '    HotTank o-- "1" Heater : heater\n'
        "    HotTank --> Tank : connect\n"
        "    HotTank --> Valve : connect\n"
        "    Heater --> Tank : law\n"
    )


# What Mermaid's grammar of class diagrams takes: a class with members, or a relation with a label.
LINE = re.compile(
    r'classDiagram|    class \w+ \{|        \+[^{}<>]+|    \}|    \w+ (?:<\|--|-->|o-- "[1*]") \w+(?: : \w+)?'
)


@pytest.mark.slow
@pytest.mark.row("R-314")
@pytest.mark.parametrize("package", ["eventide.verify", "eventide.experiment", "eventide.methods", "eventide.discrete"])
def test_the_library_has_diagrams_that_are_well_formed(package):
    lines = class_diagram(*modules_of(package)).splitlines()

    assert [line for line in lines if not LINE.fullmatch(line)] == []
    classes = re.findall(r"^    class (\w+) \{$", "\n".join(lines), flags=re.MULTILINE)
    assert len(classes) == len(set(classes)) > 10


@pytest.mark.row("R-314")
def test_a_users_model_is_drawn_from_the_command_line(tmp_path, capsys):
    assert main(["diagram", str(EXAMPLES / "quarter_car.py")]) == 0
    told = capsys.readouterr().out
    assert '    QuarterCar o-- "1" Road : road\n' in told
    assert "        +state body [m]\n" in told
    assert "    Continuous <|-- QuarterCar\n" in told

    assert main(["diagram", "eventide.verify.components", "--out", str(tmp_path / "parts.mmd")]) == 0
    assert '    Component o-- "*" Component : parts\n' in (tmp_path / "parts.mmd").read_text()
    for wrong, said in [
        ("no.such.module", "no.such.module cannot be imported"),
        ("eventide.verify.junit", "there are no classes in eventide.verify.junit"),
        ("nowhere.py", "nowhere.py does not exist"),
    ]:
        assert main(["diagram", wrong]) == 2
        assert said in capsys.readouterr().err
