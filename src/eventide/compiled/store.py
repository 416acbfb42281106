"""Kernels as machine code: compiled once, kept on disk under the hash of everything they depend on.

A file is written under another name and renamed, so that whoever reads sees a whole one or none, and many may write at
once. What cannot be written is kept in memory.
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

from eventide.compiled.locking import locked
from eventide.compiled.lowered import Kernel, Lowered

if TYPE_CHECKING:
    from eventide.compiled.llvm import Machine

FORMAT: Final = b"eventide kernel 1\n"


class Store:
    """Machine code in memory and on disk.

    folder      where files are kept; None: in memory only
    compiled    how many were compiled here, as against read from disk
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.compiled = 0
        self._addresses: dict[str, int] = {}
        self._machine: Machine | None = None

    @classmethod
    def default(cls) -> Store:
        """The store in the folder that is meant for it on this system."""
        return cls(default_folder())

    def kernel(self, lowered: Lowered) -> Kernel:
        """The machine code of a lowered function; its address is valid as long as the kernel or this store lives.

        Raises LookupError, naming a function that it calls and the system's mathematical library has not got, and
        RuntimeError if LLVM does not take its text.
        """
        return Kernel(self.load(lowered.source, lowered.symbols), lowered, self)

    @locked
    def load(self, source: str | Callable[[], str], needed: tuple[str, ...] = (), key: str = "") -> int:
        """The address of the function `@kernel` of a module.

        source      its text, or what makes it
        needed      the functions of the mathematical library that it calls
        key         what the text depends on; by default the text
        Raises as `kernel`.
        """
        from eventide.compiled.llvm import Machine, machine_name

        key = hashlib.sha256(f"{machine_name()}\n{key or source}".encode()).hexdigest()
        if key not in self._addresses:
            self._machine = machine = self._machine or Machine()
            symbol = f"eventide_{key}"
            code = self._read(key)
            if code is None:
                self.compiled += 1
                text = source if isinstance(source, str) else source()
                code = machine.compile(text.replace("@kernel(", f"@{symbol}(", 1))
                self._write(key, code)
            self._addresses[key] = machine.load(code, symbol, needed)
        return self._addresses[key]

    # --- files ----------------------------------------------------------------------------------------------------

    def _read(self, key: str) -> bytes | None:
        """The code in the file of a key; None if there is none, or it is damaged."""
        if self.folder is None:
            return None
        try:
            content = (self.folder / f"{key}.o").read_bytes()
        except OSError:
            return None
        start, size = len(FORMAT), len(FORMAT) + 32
        code = content[size:]
        is_whole = content[:start] == FORMAT and content[start:size] == hashlib.sha256(code).digest()
        return code if is_whole else None

    def _write(self, key: str, code: bytes) -> None:
        if self.folder is None:
            return
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.folder, prefix="new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(FORMAT + hashlib.sha256(code).digest() + code)
                Path(name).replace(self.folder / f"{key}.o")
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise


def compile_kernel(lowered: Lowered, store: Store | None = None) -> Kernel:
    """The machine code of a lowered function, by default from the store of this system."""
    return (store or Store.default()).kernel(lowered)


# --- where files are kept ---------------------------------------------------------------------------------------------


def default_folder() -> Path | None:
    """EVENTIDE_CACHE_DIR if it is set; else the user's folder for such files; else a private one among temporary ones.

    None if nothing of the kind can be written, or the temporary one might be another user's.
    """
    named = os.environ.get("EVENTIDE_CACHE_DIR")
    if named:
        return Path(named)
    folder = _user_folder() / "eventide" / "kernels"
    return folder if _is_writable(folder) else _temporary_folder()


def _user_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _temporary_folder() -> Path | None:
    # Machine code is executed, so a folder that others could write to is out of the question.
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"eventide-kernels-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    is_own = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    is_private = sys.platform == "win32" or not stat.S_IMODE(status.st_mode) & 0o077
    return folder if is_own and is_private and stat.S_ISDIR(status.st_mode) else None
