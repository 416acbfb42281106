"""The source on which native code depends: what was made of another source is not loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_ROOMS: Final = Path(__file__).parent.parent
SOURCES: Final = (_ROOMS / "native", _ROOMS / "engine")
"""Folders of the source on which the native stepper depends."""
ROW_SOURCES: Final = (*SOURCES, _ROOMS / "rows")
"""The same of the native engine of processes."""


def key_of(sources: Iterable[Path]) -> str:
    """What a text depends on, as a hash: the source in some folders."""
    digest = hashlib.sha256()
    for folder in sources:
        for path in sorted(folder.glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
