"""The page of a study whose runs are in a folder: `eventide report`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from eventide.cli.telling import DONE, check_target, note, say, status_of, writing


@dataclass(frozen=True)
class ReportJob:
    """One call of `eventide report`."""

    folder: Path
    out: Path | None
    verbose: bool

    def status(self) -> int:
        """Do it and tell what went wrong, if anything did; answers the exit status."""
        return status_of(self.do, verbose=self.verbose)

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
