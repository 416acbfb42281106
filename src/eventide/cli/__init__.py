"""The command line: `eventide run FILE` and its sisters run the model in a file, print what came of it, draw it.

May import: everything. Start reading at `commands.py`.
"""

from eventide.cli.commands import main

__all__ = ["main"]
