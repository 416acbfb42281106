"""The page of a study whose runs are in a folder: `eventide report`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from eventide.cli.options import Command
from eventide.cli.telling import DONE, check_target, note, say, writing


@dataclass(frozen=True, kw_only=True)
class ReportJob(Command):
    """One call of `eventide report`."""

    folder: Annotated[Path, Argument(metavar="FOLDER", help="The store of a study or of a search.", show_default=False)]
    out: Annotated[
        Path | None,
        Option(metavar="FILE.html", help="Write the page here. Otherwise into this folder, named as FOLDER is."),
    ] = None

    def do(self) -> int:
        """Read the runs, write the page, tell the means."""
        from eventide.analysis import stored

        target = self.out or Path(f"{self.folder.resolve().name}.html")
        check_target(target, "--out")
        runs = stored(self.folder)
        with writing(target):
            runs.to_html(target)
        note(f"page written to {target}")
        say(str(runs))
        return DONE
