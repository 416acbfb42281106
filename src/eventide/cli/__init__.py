"""The command line: `eventide run FILE` and its sisters run the model in a file, print what came of it, draw it.

May import: everything. Start reading at `commands.py`.
"""

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; answers the exit status. Ends the program if the extra `cli` is not installed."""
    try:
        from eventide.cli.commands import main as command
    except ModuleNotFoundError as error:
        from eventide.errors import MissingLibraryError
        from eventide.libraries import EXTRA_OF, refuse

        library = (error.name or "").partition(".")[0]
        if EXTRA_OF.get(library) != "cli":
            raise
        try:
            refuse(library, "cli", "the command line")
        except MissingLibraryError as missing:
            raise SystemExit(str(missing)) from None
    return command(arguments)


__all__ = ["main"]
