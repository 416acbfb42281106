"""Public names that are loaded when they are first used (SPEC 1 of Scientific Python): each stands once, in a stub.

In: the stub beside the `__init__.py` of a package. Out: the module of each name. Imports nothing of ours.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import ResourceLoader


def homes_in(loader: ResourceLoader, file: str) -> dict[str, str]:
    """The module of each name that the stub of a package imports, in its order."""
    stub = ast.parse(loader.get_data(f"{file}i"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}
