"""Install the peers named in the group `bench` of pyproject.toml, one by one; whoever does not install is left out."""

import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def requirements() -> list[str]:
    bench: list[str] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["dependency-groups"]["bench"]
    return bench


def main() -> None:
    for requirement in requirements():
        command = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check", requirement]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
            print(f"{requirement} does not install and is left out: {reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
