"""Where code stands, in words: file and line, or the cell of a notebook as its own tracebacks call it."""

from __future__ import annotations

import sys


def location(file: str, line: int) -> str:
    """`model.py:12`; of a cell, whose file has a name of many digits, `cell In[3], line 12`."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", object)()
    told = getattr(getattr(shell, "compile", None), "format_code_name", None)
    found = told(file) if told is not None else None
    return f"{found[0].lower()} {found[1]}, line {line}" if found is not None else f"{file}:{line}"
