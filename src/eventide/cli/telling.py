"""What the command line prints, and the files that it is asked to write."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eventide.declare import GENERATED
from eventide.errors import InputError, SimulationError
from eventide.reading.tracebacks import WHOLE

if TYPE_CHECKING:
    from traceback import TracebackException
    from typing import TextIO

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eventide.observe.dumps import Tabular
    from eventide.observe.recording_base import RecordingBase

DONE: Final = 0
FAILED: Final = 1
"""The exit status when the model raises an error of its own."""
REFUSED: Final = 2
"""The exit status when what was typed, or data that the model reads, cannot be used."""
INTERRUPTED: Final = 130

PICTURES: Final = (".png", ".pdf", ".svg")


def status_of(do: Callable[[], int], *, verbose: bool) -> int:
    """Do something and tell what went wrong, if anything did; answers the exit status."""
    try:
        with _as_asked(verbose=verbose):
            return do()
    except KeyboardInterrupt:
        return INTERRUPTED
    except InputError as error:
        complain(str(error))
        return REFUSED
    except BrokenPipeError:
        close_output()
        return FAILED
    except Exception as error:  # noqa: BLE001  # whatever a model raises is shown to those who run it
        show_failure(error, whole=verbose)
        return FAILED


@contextlib.contextmanager
def _as_asked(*, verbose: bool) -> Iterator[None]:
    """The block in which tracebacks are whole if that was asked, and our warnings are lines.

    They would name the line of the command line's machinery that has called the model.
    """
    before, shown = os.environ.get(WHOLE), warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if category.__module__ == "eventide.errors":
            complain(f"{category.__name__}: {message}")
        else:
            shown(message, category, filename, lineno, file, line)

    if verbose:
        os.environ[WHOLE] = "1"
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show
            yield
    finally:
        if verbose and before is None:
            os.environ.pop(WHOLE, None)


def say(text: str) -> None:
    """Print, with a question mark for what standard output cannot show; nothing if there is no standard output."""
    if sys.stdout is None:
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.replace("─", "-")  # under the head of a table
    print(text.encode(encoding, "replace").decode(encoding), flush=True)


def note(text: str) -> None:
    """Print beside the results, where nobody expects equal runs to print the same; nothing without standard error."""
    if sys.stderr is not None:
        print(text, file=sys.stderr)


def complain(text: str) -> None:
    """Say what is wrong, in one line."""
    note(f"eventide: {' '.join(text.split())}")


def close_output() -> None:
    """The reader of standard output has exited: write nothing more there, not even when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_failure(error: Exception, *, whole: bool) -> None:
    """Print the traceback of a model's error, of the model's own frames unless it is to be whole.

    A numbered error is told first in the three lines of the manual of COMBINEDSIMULATION, 3.25.
    """
    from traceback import TracebackException

    if isinstance(error, SimulationError):
        for line in error.lines:
            note(line)
    shown = TracebackException.from_exception(error)
    if not whole:
        _hide_frames(shown)
    note("".join(shown.format()).removesuffix("\n"))
    if not whole:
        note("The frames of eventide are left out: --verbose shows them.")


def _hide_frames(shown: TracebackException | None) -> None:
    """Leave out the frames of eventide and of the machinery around it, in the causes of an error as well."""
    if shown is None:
        return
    # Constructors of components are made of a string; their frames have no line to show.
    hidden = (str(Path(__file__).parent.parent), contextlib.__file__, GENERATED, "<frozen")
    shown.stack[:] = [frame for frame in shown.stack if not frame.filename.startswith(hidden)]
    for other in (shown.__cause__, shown.__context__, *(shown.exceptions or ())):
        _hide_frames(other)


def texts_by_name(
    given: Sequence[str] | None, option: str = "--set", form: str = "NAME=VALUE, as --set pits=8"
) -> dict[str, str]:
    """The texts that an option gives by name. Raises InputError for what has another form, and for a name twice."""
    texts: dict[str, str] = {}
    for told in given or ():
        name, equals, text = told.partition("=")
        if not (name and equals and (text or option == "--set")):
            raise InputError(f"{option} takes {form}, and got {told!r}")
        if name in texts:
            raise InputError(f"{option} gives {name} twice, {texts[name]!r} and {text!r}: give it once")
        texts[name] = text
    return texts


SOURCES: Final = (".py", ".ipynb")
"""Endings of files that no option writes: a model would be overwritten by its results."""


def check_target(path: Path | None, option: str, suffixes: Sequence[str] = ()) -> None:
    """Raise InputError if a file to be written could not be."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{option} takes the name of a file, and {path} is a folder")
    if path.suffix.lower() in SOURCES:
        raise InputError(f"{option} {path} is not written: a name that ends in {path.suffix} is that of a program")
    if not path.parent.is_dir():
        raise InputError(f"{option} {path} cannot be written: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{option} {path} cannot be written: the folder {path.parent} is write-protected")
    if suffixes and path.suffix.lower() not in suffixes:
        raise InputError(
            f"{option} {path} is no kind of picture that can be drawn: its name should end in {' or '.join(suffixes)}"
        )


FOREIGN: Final = (
    ".xlsx", ".xls", ".ods", ".feather", ".arrow", ".h5", ".hdf5", ".nc", ".mat", ".npy", ".npz", ".pkl", ".gz", ".zip",
)  # fmt: skip
"""Endings of tables of other kinds: programs would take a file of text that is called so for a damaged one."""


def check_outputs(path: Path | None, picture: Path | None = None) -> None:
    """Raise InputError if a table or a picture could not be written, or is to have a name of another kind of file."""
    check_target(path, "--out")
    check_target(picture, "--plot", PICTURES)
    if path is not None and path.suffix.lower() in FOREIGN:
        from eventide.observe.dumps import KINDS

        raise InputError(f"--out {path} is no kind of table that can be written: its name should end in {KINDS}")


def paths_beside(first: Path, names: Sequence[str]) -> list[Path]:
    """A path for each recording: `first`, then others beside it that bear the recordings' names.

    Raises InputError if nothing can stand beside it.
    """
    if len(names) > 1 and (first.parts[:2] == ("/", "dev") or (first.exists() and not first.is_file())):
        raise InputError(f"{first} is no file, and takes one table only; there are {len(names)}: {', '.join(names)}")
    paths = [first]
    for name in names[1:]:
        plain = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name)
        path = first.with_name(f"{first.stem}-{plain}{first.suffix}")
        number = 2
        while path in paths:
            path = first.with_name(f"{first.stem}-{plain}-{number}{first.suffix}")
            number += 1
        paths.append(path)
    return paths


@contextlib.contextmanager
def ended_by_a_signal() -> Iterator[None]:
    """The block that a request to end the program (SIGTERM) ends as an error does, so that results can be written."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """The block in which a file is written; what the machine refuses is told in a line."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


def write_table(rows: RecordingBase | Tabular | pd.DataFrame, path: Path, what: str = "results") -> None:
    """Write rows to a file: as CSV if its name has no ending that says otherwise."""
    from eventide.observe.dumps import has_format, save

    with writing(path):
        save(rows, path, ending="" if has_format(path) else ".csv")
    note(f"{what} written to {path}")


def write_picture(drawn: Figure | Axes, path: Path) -> None:
    """Write a figure, or that of some axes."""
    from eventide.view import save

    with writing(path):
        save(drawn, path)
    note(f"picture written to {path}")
