"""Files that are written completely or not at all: written beside their place and moved there at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from os import PathLike
from pathlib import Path
from secrets import token_hex
from shutil import copyfileobj
from stat import S_IMODE
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


@contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[Path]:
    """A path to write to; at the end of the block it replaces `path`; after an error it is removed.

    A file keeps its mode and its owner, a link goes on leading where it led. What is no regular file, as a pipe or a
    device, is written at the end. Leftovers of a program that was killed are removed.
    Raises FileNotFoundError if the folder does not exist.
    """
    target = Path(path)
    if target.exists() and not target.is_file():
        with TemporaryDirectory() as folder:
            yield (unfinished := Path(folder) / target.name)
            with unfinished.open("rb") as made, target.open("wb", buffering=0) as file:
                copyfileobj(made, file)
        return
    target = Path(os.path.realpath(target))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target} cannot be written: there is no folder {target.parent}")
    sweep(target.parent, escape(target.name))
    before = target.stat() if target.exists() else None
    # A private file is one from its first byte on.
    unfinished, held = _begin(target, 0o666 if before is None else 0o600)
    try:
        yield unfinished
        if before is not None:
            _make_alike(unfinished, before)
        with unfinished.open("rb+") as written:
            os.fsync(written.fileno())  # else a machine that fails may keep the new name and lose what it names
        unfinished.replace(target)
    finally:
        os.close(held)
        unfinished.unlink(missing_ok=True)


def _begin(target: Path, mode: int) -> tuple[Path, int]:
    """A file beside a target, empty, open and held."""
    while True:
        unfinished = target.with_name(f".{target.name}.{token_hex(4)}.part")
        held = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode)
        if _try_to_hold(held) and unfinished.exists():
            return unfinished, held
        os.close(held)  # another process has swept it away before it was held


def _make_alike(path: Path, before: os.stat_result) -> None:
    """Give a file the owner and the mode of the one that it replaces, as far as this user may."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, before.st_uid, before.st_gid)
    path.chmod(S_IMODE(before.st_mode))


def sweep(folder: Path, name: str = "*") -> None:
    """Remove unfinished files in a folder, except those that a running program has locked.

    name        of the files that they were to become, as a pattern
    """
    for left in folder.glob(f".{name}.{'[0-9a-f]' * 8}.part"):
        with suppress(OSError):
            held = os.open(left, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            try:
                if _try_to_hold(held):
                    left.unlink()
            finally:
                os.close(held)


def _try_to_hold(file: int) -> bool:
    """Lock an open file until it is closed; returns False if another program has locked it."""
    if fcntl is None:
        return True  # an open file cannot be removed there
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
