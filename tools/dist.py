"""Build the source distribution and the wheel, and try each in an environment that has nothing else.

The wheel is built from the source distribution, as an index's visitors would build it. Each is installed without extras
into an empty environment, which must hold the core's libraries alone; there `tests/slim_program.py` runs. The tests of
`TESTS` then run in the unpacked source distribution, against what was installed from it. What was tried is left in
`dist/`.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
TESTS = ["test_blocks.py", "test_build.py", "test_design.py", "test_docs.py", "test_packaging.py", "test_readme.py"]
TESTS += ["test_rows.py", "test_slim.py", "discrete"]
"""What needs no extra, of tests/: tests of the files beside the library, and the discrete half of the library."""
INSTALLED = "from importlib.metadata import distributions as all; print(*{one.name for one in all()} - {'setuptools'})"
TESTERS = ["grimp", "hypothesis", "pytest", "pytest-xdist", "pyyaml"]


def run(python: str | Path, *arguments: str | Path, cwd: Path) -> str:
    """What a Python program prints. Ends this one, with all that was said, if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, *arguments], cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{done.stdout}\nfailed: python {' '.join(map(str, arguments))}")
    return done.stdout


def install(python: Path, *packages: str | Path) -> None:
    run(python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", *packages, cwd=ROOT)


def built(place: Path) -> tuple[Path, Path]:
    """The wheel and the source distribution of this checkout."""
    run(sys.executable, "-m", "build", "--outdir", place, ROOT, cwd=ROOT)
    (wheel,), (source,) = place.glob("*.whl"), place.glob("*.tar.gz")
    return wheel, source


def tried(package: Path, place: Path, tree: Path, project: dict[str, Any]) -> Path:
    """The Python of a new environment in which a package brings what it asks for, no more, and a model runs."""
    venv.create(place, with_pip=True, symlinks=True)
    python = place / "bin" / "python"
    install(python, package)
    core = [re.split(r"[^\w-]", requirement)[0] for requirement in project["dependencies"]]
    found = run(python, "-c", INSTALLED, cwd=place).split()
    if sorted(found) != sorted([project["name"], "pip", *core]):
        sys.exit(f"{package.name} installs {' '.join(found)}, and should install {' '.join(core)}")
    print(f"{run(python, tree / 'tests' / 'slim_program.py', cwd=place).strip()} runs, from {package.name}", flush=True)
    return python


def main() -> None:
    content = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    testers = [one for one in content["dependency-groups"]["dev"] if str(one).partition(">=")[0] in TESTERS]
    with TemporaryDirectory(prefix="eventide-dist-") as folder:
        place = Path(folder)
        wheel, source = built(place)
        with tarfile.open(source) as archive:
            archive.extractall(place, filter="data")
        tree = place / source.name.removesuffix(".tar.gz")
        with ThreadPoolExecutor() as both:
            jobs = [
                both.submit(tried, package, place / package.suffix[1:], tree, content["project"])
                for package in (wheel, source)
            ]
        _, python = [job.result() for job in jobs]
        install(python, *testers)
        tests = [f"tests/{name}" for name in TESTS]
        options = ["-q", "-n", "auto", "-m", "not slow", "-p", "no:cacheprovider"]
        print(run(python, "-m", "pytest", *options, *tests, cwd=tree).splitlines()[-1] + f", of {source.name}")
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        for package in (wheel, source):
            shutil.copy(package, DIST)


if __name__ == "__main__":
    main()
