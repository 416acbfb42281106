"""The rows of tests/requirements.toml that the tests show.

`@pytest.mark.row("R-023", "R-034")` says that a test shows two rows. Run as a script, this lists the rows that no test
shows, and ends with status 1 if there are any. In every run of pytest the plugin `RowMarkers`, registered by
tests/conftest.py, refuses a marker that names no row of the table.
"""

import contextlib
import io
import sys
import textwrap
import tomllib
from collections.abc import Generator, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "requirements.toml"


@dataclass(frozen=True)
class Row:
    """One duty of the library; the head of the table says what each field means."""

    id: str
    area: str
    source: str
    statement: str
    departs: str = ""
    stepping: str = ""


def load_rows(table: Path = TABLE) -> dict[str, Row]:
    entries = tomllib.loads(table.read_text(encoding="utf-8"))["row"]
    return {entry["id"]: Row(**entry) for entry in entries}


class RowMarkers:
    """Plugin of pytest: read the row markers of all tests, and refuse those that name no row."""

    def __init__(self, rows: Mapping[str, Row]) -> None:
        self.rows = rows
        self.shown: set[str] = set()
        """Ids of the rows shown; a test that is skipped or expected to fail shows nothing."""

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Fail the collection itself: -k and -m cannot hide a mistake there, and workers of xdist can report it."""
        report = yield
        items = [node for node in report.result if isinstance(node, pytest.Item)]
        mistakes = [mistake for item in items for mistake in self._read(item)]
        if mistakes:
            report.outcome, report.longrepr, report.result = "failed", "\n".join(mistakes), []
        return report

    def _read(self, item: pytest.Item) -> Iterator[str]:
        is_held = any(item.get_closest_marker(name) for name in ("skip", "xfail"))
        for marker in item.iter_markers("row"):
            ids = [row for row in marker.args if isinstance(row, str)]
            if not ids or len(ids) < len(marker.args) or marker.kwargs:
                yield f'{item.nodeid}: a row marker takes ids and nothing else, as in row("R-023")'
            for row in ids:
                if row not in self.rows:
                    yield f"{item.nodeid}: {row!r} is no row of {TABLE.name}"
                elif not is_held:
                    self.shown.add(row)


def account(rows: Mapping[str, Row], shown: AbstractSet[str]) -> str:
    """The rows not shown, by area, then how many of each area are."""
    missing = [row for row in rows.values() if row.id not in shown]
    areas = list(dict.fromkeys(row.area for row in rows.values()))
    lines = []
    for area in areas:
        entries = [row for row in missing if row.area == area]
        if entries:
            lines += [f"{area}, not shown:", *map(_entry, entries), ""]
    for area in areas:
        total = sum(row.area == area for row in rows.values())
        lines.append(f"{total - sum(row.area == area for row in missing):4} of {total:3}  {area}")
    lines.append(f"{len(rows) - len(missing):4} of {len(rows):3}  rows are shown by tests")
    return "\n".join(lines)


def _entry(row: Row) -> str:
    text = f"{row.id}  {row.statement}" + (f" [departs: {row.departs}]" if row.departs else "")
    return textwrap.fill(text, 120, initial_indent="  ", subsequent_indent=" " * 9)


def main() -> int:
    markers = RowMarkers(load_rows())
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
        code = pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", "--rootdir", str(ROOT)], [markers])
    if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        print(said.getvalue(), file=sys.stderr)
        return 1
    print(account(markers.rows, markers.shown))
    return 0 if markers.shown >= markers.rows.keys() else 1


if __name__ == "__main__":
    sys.exit(main())
