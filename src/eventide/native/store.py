"""Kernels as machine code: compiled once, kept on disk under the hash of everything they depend on.

A file is written under another name and renamed, so that a reader sees a complete file or none, and several processes
may write at once. What cannot be written is kept in memory. Machine code is executed, so only the user and the
administrator may be able to write the folder and the file, and a file must belong to its key.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eventide.native.locking import locked

if TYPE_CHECKING:
    from eventide.native.llvm import Machine

FORMAT: Final = b"eventide kernel 2\n"
FOR_OTHERS: Final = 0o022
"""The bits of a mode by which others than the owner may write."""


class Store:
    """Machine code in memory and on disk.

    folder      where files are kept; None: in memory only
    compiled    how many were compiled here, as against read from disk
    objection   why the folder is not used, once something has been looked for; else empty
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.compiled = 0
        self.objection = ""
        self._is_checked = folder is None
        self._addresses: dict[str, int] = {}
        self._met: set[str] = set()
        """The hashes of keys for which there was something in the folder, or is in memory."""
        self._listed = 0
        """When the folder had changed last, as it was listed: to list tens of thousands of files takes a run's time."""
        self._machine: Machine | None = None

    @classmethod
    def default(cls) -> Store:
        """The store in the folder that is meant for it on this system."""
        return cls(default_folder())

    @locked
    def load(
        self, source: str | Callable[[], str], needed: tuple[str, ...] = (), key: str = "", effort: int = 2
    ) -> int:
        """The address of the function `@kernel` of a module, valid as long as this store lives.

        source      its text, or what makes it
        needed      the functions of the mathematical library that it calls
        key         what the text depends on; by default the text
        effort      of LLVM's passes, which the key tells, too, where it is not 2
        Raises as `kernel`.
        """
        from eventide.native.llvm import Machine, machine_name

        key = f"{_name_of(key or str(source))}_{_name_of(machine_name())[:16]}"
        if key not in self._addresses:
            self._machine = machine = self._machine or Machine()
            symbol = f"eventide_{key}"
            code = self._read(key)
            address = machine.load(code, symbol, needed) if code is not None else 0
            if not address:
                self.compiled += 1
                text = source if isinstance(source, str) else source()
                code = machine.compile(text.replace("@kernel(", f"@{symbol}(", 1), effort)
                address = machine.load(code, symbol, needed)
                if not address:
                    raise RuntimeError(f"there is no {symbol} in what was compiled for it")
                self._write(key, code)
            self._addresses[key] = address
            self._met.add(key.partition("_")[0])
        return self._addresses[key]

    def seems_to_have(self, key: str) -> bool:
        """Whether something was kept for a key, by whatever compiler, for whatever processor.

        Which these are here need not be known for it: to ask takes longer than to load.
        """
        folder, name = self._usable_folder(), _name_of(key)
        if name not in self._met and folder is not None and (changed := folder.stat().st_mtime_ns) != self._listed:
            self._met.update(file.name.partition("_")[0] for file in os.scandir(folder))
            self._listed = changed  # last: another thread may ask meanwhile
        return name in self._met

    # --- files ----------------------------------------------------------------------------------------------------

    def _usable_folder(self) -> Path | None:
        """The folder; None without one, and if others could write there."""
        if self.folder is not None and not self._is_checked:
            _make(self.folder)
            self.objection = _objection(self.folder)
            self._is_checked = True  # last: another thread may ask meanwhile
        return None if self.objection else self.folder

    def _read(self, key: str) -> bytes | None:
        """The code in the file of a key; None if there is none, or it is damaged, another's, or might be."""
        folder = self._usable_folder()
        if folder is None:
            return None
        try:
            with open(folder / f"{key}.o", "rb", opener=_open_no_link) as file:
                status = os.fstat(file.fileno())
                if not (stat.S_ISREG(status.st_mode) and is_trusted(status)):
                    return None
                content = file.read()
        except OSError:
            return None
        start, size = len(FORMAT), len(FORMAT) + 32
        code = content[size:]
        is_whole = content[:start] == FORMAT and content[start:size] == _digest(key, code)
        return code if is_whole else None

    def _write(self, key: str, code: bytes) -> None:
        folder = self._usable_folder()
        if folder is None:
            return
        with suppress(OSError):
            handle, name = tempfile.mkstemp(dir=folder, prefix="new-")  # which only its owner may read or write
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(FORMAT + _digest(key, code) + code)
                Path(name).replace(folder / f"{key}.o")
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise


def _name_of(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _digest(key: str, code: bytes) -> bytes:
    """The digest in a file: of its key, which covers text, compiler and processor, and of its code."""
    return hashlib.sha256(key.encode() + code).digest()


# --- where files are kept ---------------------------------------------------------------------------------------------


def is_trusted(status: os.stat_result) -> bool:
    """Whether none but this user and the administrator could have written a file, or into a folder."""
    if not hasattr(os, "geteuid"):
        return True  # modes mean nothing there
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & FOR_OTHERS


def _make(folder: Path) -> None:
    """Make a folder, if it is not there, for this user alone."""
    with suppress(OSError):
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)


def _objection(folder: Path) -> str:
    """Why a folder is not used; empty if it may be."""
    try:
        status = folder.stat()
    except OSError:
        return f"{folder} cannot be made"
    return "" if is_trusted(status) else f"{folder} belongs to another user, or others may write there"


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def default_folder() -> Path | None:
    """EVENTIDE_CACHE_DIR if it is set; else the user's folder for such files; else a private one among temporary ones.

    None if nothing of the kind can be written, or the temporary one might be another user's.
    """
    named = os.environ.get("EVENTIDE_CACHE_DIR")
    if named:
        return Path(named)
    folder = _user_folder() / "eventide" / "kernels"
    _make(folder)
    return folder if not _objection(folder) and os.access(folder, os.W_OK) else _temporary_folder()


def _user_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _temporary_folder() -> Path | None:
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"eventide-kernels-{user}"
    _make(folder)
    return None if folder.is_symlink() or _objection(folder) else folder
