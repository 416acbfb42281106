"""The table of requirements, and the markers that point into it."""

import re
from textwrap import dedent

import pytest
import rows as rows_tool
from rows import Row, RowMarkers, account, load_rows

pytest_plugins = ["pytester"]

TABLE = {
    "R-001": Row("R-001", "Clock", "a book, 1", "The clock goes on."),
    "R-002": Row("R-002", "Clock", "a book, 2", "The clock never goes back.", departs="It may stop."),
    "R-003": Row("R-003", "Queue", "a book, 3", "Who comes first is served first."),
}


@pytest.fixture
def collect(pytester, capsys):
    """A function: collect this test file, answer the exit code, the rows shown and the output."""

    def run(source, *options):
        pytester.makepyfile(source)
        markers = RowMarkers(TABLE)
        result = pytester.inline_run("--collect-only", *options, plugins=[markers])
        return result.ret, markers.shown, capsys.readouterr().out

    return run


def test_table_is_whole():
    rows = load_rows()

    assert len(rows) == 260
    assert list(rows) == sorted(rows)
    assert [row.id for row in rows.values() if not re.fullmatch(r"R-\d{3}", row.id)] == []
    assert [row.id for row in rows.values() if not (row.area and row.source and row.statement)] == []
    authors = {row.source.split(",")[0] for row in rows.values()}
    assert authors == {"Helsgaun", "Pannek", "Runge-Kutta-Fehlberg integrator"}
    assert {row.stepping for row in rows.values()} == {"", "together"}


@pytest.mark.parametrize(
    "source",
    [
        """
        @pytest.mark.row("R-001", "R-003")
        def test_it(): ...
        """,
        """
        @pytest.mark.row("R-001")
        class TestClass:
            @pytest.mark.row("R-003")
            def test_it(self): ...
        """,
        """
        pytestmark = pytest.mark.row("R-001")

        @pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.row("R-003"))])
        def test_it(x): ...
        """,
    ],
    ids=["function", "class", "parameter"],
)
def test_rows_shown(collect, source):
    code, shown, _ = collect("import pytest\n" + dedent(source))

    assert (code, shown) == (pytest.ExitCode.OK, {"R-001", "R-003"})


@pytest.mark.parametrize("mark", ["skip", "xfail"])
def test_tests_held_back_show_nothing(collect, mark):
    code, shown, _ = collect(
        f"""
        import pytest

        @pytest.mark.{mark}
        @pytest.mark.row("R-001")
        def test_held(): ...
        """
    )

    assert (code, shown) == (pytest.ExitCode.OK, set())


@pytest.mark.parametrize(
    ("marker", "complaint"),
    [
        ('row("R-001", "R-999")', "test_it: 'R-999' is no row of requirements.toml"),
        ("row", "test_it: a row marker takes ids and nothing else"),
        ('row("R-001", id="R-002")', "test_it: a row marker takes ids and nothing else"),
        ('row("R-001", ["R-002"])', "test_it: a row marker takes ids and nothing else"),
    ],
    ids=["unknown", "no ids", "keyword", "list"],
)
@pytest.mark.parametrize("options", [[], ["-k", "nothing"]], ids=["selected", "deselected"])
def test_markers_that_name_no_row_fail_collection(collect, marker, complaint, options):
    code, _, output = collect(
        f"""
        import pytest

        @pytest.mark.{marker}
        def test_it(): ...
        """,
        *options,
    )

    assert code == pytest.ExitCode.INTERRUPTED
    assert complaint in output


def test_plugin_is_at_work_here(pytestconfig):
    [markers] = [plugin for plugin in pytestconfig.pluginmanager.get_plugins() if isinstance(plugin, RowMarkers)]

    assert markers.rows == load_rows()


def test_account():
    assert account(TABLE, {"R-001"}) == (
        "Clock, not shown:\n"
        "  R-002  The clock never goes back. [departs: It may stop.]\n"
        "\n"
        "Queue, not shown:\n"
        "  R-003  Who comes first is served first.\n"
        "\n"
        "   1 of   2  Clock\n"
        "   0 of   1  Queue\n"
        "   1 of   3  rows are shown by tests"
    )


@pytest.mark.row("R-313")
@pytest.mark.parametrize(("shown", "status"), [({"R-001", "R-002", "R-003"}, 0), ({"R-001", "R-003"}, 1)])
def test_a_row_that_no_test_shows_ends_the_build(shown, status, monkeypatch, capsys):
    def collect(_arguments, plugins):
        plugins[0].shown |= shown
        return pytest.ExitCode.OK

    monkeypatch.setattr(rows_tool, "load_rows", lambda: TABLE)
    monkeypatch.setattr(pytest, "main", collect)
    assert rows_tool.main() == status
    assert ("R-002  The clock never goes back." in capsys.readouterr().out) is (status == 1)
