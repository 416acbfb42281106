"""How long an example takes from the start of its process to its first result, import included, without a picture.

Cold: with an empty folder for machine code, as after an installation. Warm: with what the run before has left there.
Bytecode is there in any case: who installs a package makes it.
The processor's seconds are those of the whole process, which may compile on several cores.
"""

import compileall
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from contest import spread

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
GOALS = {"bouncing_ball": 0.7}
"""Seconds that a warm start should take at most."""
PROGRAM = """
import sys
from pathlib import Path
from eventide.experiment import imported, only_model, report
file = Path(sys.argv[1])
with imported(file) as module:
    print(report(only_model(module, file).run(entropy=1), for_terminal=False), flush=True)
"""


@dataclass
class Start:
    """One example: seconds to its first result and seconds of the processor, cold and in each warm round."""

    path: Path
    cold: tuple[float, float] | None = None
    warm: list[tuple[float, float]] = field(default_factory=list)
    trouble: str = ""

    @property
    def name(self) -> str:
        return self.path.stem

    def measure(self, cache: Path) -> tuple[float, float] | None:
        """Run it once; None if it fails."""
        environment = os.environ | {"EVENTIDE_CACHE_DIR": str(cache), "NUMBA_CACHE_DIR": str(cache / "numba")}
        begin = perf_counter()
        with subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(self.path)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            first = process.stdout.readline()
            seconds = perf_counter() - begin
            process.stdout.read()
            complaint = process.stderr.read().decode()
            # The usage of this child alone, which `wait` would throw away.
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode or not first:
            self.trouble = (complaint.strip().splitlines() or ["it prints nothing"])[-1]
            return None
        return seconds, usage.ru_utime + usage.ru_stime


class Starts:
    """All examples, each cold once and warm in every round."""

    name = "starts"
    story = "from the start of a process to the first result of an example, cold and warm"

    def __init__(self, *, is_quick: bool) -> None:
        self.is_quick = is_quick
        paths = [path for path in sorted(EXAMPLES.glob("**/*.py")) if "@ev.model" in path.read_text(encoding="utf-8")]
        self.starts = [Start(path) for path in paths if path.stem in GOALS or not is_quick]

    def hold(self, rounds: int, tell: Callable[[str], None]) -> None:
        package = find_spec("eventide")
        assert package is not None
        assert package.origin is not None
        compileall.compile_dir(Path(package.origin).parent, quiet=1)
        with TemporaryDirectory() as folder:
            for start in self.starts:
                cache = Path(folder) / start.name
                tell(f"{self.name}: {start.name}, cold")
                start.cold = start.measure(cache)
            for number in range(1, rounds + 1):
                for start in self.starts:
                    tell(f"{self.name}: round {number} of {rounds}, {start.name}")
                    found = None if start.trouble else start.measure(Path(folder) / start.name)
                    if found:
                        start.warm.append(found)

    @property
    def failures(self) -> list[Start]:
        return [start for start in self.starts if start.trouble]

    def table(self) -> str:
        head = ["example", "cold s", "cold cpu s", "warm s (max)", "warm cpu s", "goal"]
        rows = [head, *(self._row(start) for start in self.starts if not start.trouble)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
        lines = [f"{self.name}: {self.story}"]
        for row in rows:
            rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
            lines.append("  " + "  ".join([row[0].ljust(widths[0]), *rest]))
        return "\n".join([*lines, *(f"  {start.name} failed: {start.trouble}" for start in self.failures)])

    @staticmethod
    def _row(start: Start) -> list[str]:
        cold, warm = start.cold or (float("nan"),) * 2, [seconds for seconds, _ in start.warm]
        goal = GOALS.get(start.name)
        return [
            start.name,
            f"{cold[0]:.2f}",
            f"{cold[1]:.2f}",
            f"{median(warm):.2f} ({max(warm):.2f})",
            f"{median(cpu for _, cpu in start.warm):.2f}",
            f"{goal:g} s" if goal else "",
        ]

    def record(self) -> dict[str, Any]:
        """What was found, ready for JSON."""
        return {"name": self.name, "story": self.story, "examples": [self._facts(start) for start in self.starts]}

    @staticmethod
    def _facts(start: Start) -> dict[str, Any]:
        if start.trouble:
            return {"name": start.name, "trouble": start.trouble}
        return {
            "name": start.name,
            "cold_s": start.cold,
            "warm_s": start.warm,
            "warm": spread([seconds for seconds, _ in start.warm]),
        }
