"""The class diagram of a model or of the library: `eventide diagram`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from eventide.cli.options import Command
from eventide.cli.telling import DONE, check_target, note, say, writing


@dataclass(frozen=True, kw_only=True)
class DiagramJob(Command):
    """One call of `eventide diagram`."""

    what: Annotated[
        str,
        Argument(
            metavar="FILE|PACKAGE", help="A Python file, or a dotted name as eventide.verify.", show_default=False
        ),
    ]
    out: Annotated[Path | None, Option(metavar="FILE.mmd", help="Write it here.")] = None

    def do(self) -> int:
        """Print the diagram, or write it to a file."""
        from eventide.experiment import imported
        from eventide.view import class_diagram
        from eventide.view.class_diagrams import modules_of

        check_target(self.out, "--out")
        if Path(self.what).suffix == ".py" or Path(self.what).exists():
            with imported(Path(self.what)) as module:
                text = class_diagram(module)
        else:
            text = class_diagram(*modules_of(self.what))
        if self.out is None:
            say(text.rstrip("\n"))
        else:
            with writing(self.out):
                self.out.write_text(text, encoding="utf-8")
            note(f"diagram written to {self.out}")
        return DONE
