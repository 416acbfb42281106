"""The oldest releases that pyproject.toml allows, as constraints of pip: `numpy==2.2` for `numpy>=2.2`.

`make floors` runs the tests with them.
"""

import re
import sys
import tomllib
from itertools import chain
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[[\w,]+\])?(>=(?P<floor>[\w.]+))?")


def floors(project: Path = PROJECT) -> dict[str, str]:
    """The least version of each library that eventide or one of its extras needs. Raises ValueError if one has none."""
    content = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    found: dict[str, str] = {}
    for text in chain(content["dependencies"], *content["optional-dependencies"].values()):
        match = REQUIREMENT.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no requirement with a floor, such as numpy>=2.2")
        if match["name"] == content["name"]:  # an extra that has another
            continue
        if match["floor"] is None:
            raise ValueError(f"{text!r} has no floor: write the oldest release that was tested")
        found[match["name"]] = match["floor"]
    return found


if __name__ == "__main__":
    sys.stdout.writelines(f"{name}=={floor}\n" for name, floor in floors().items())
