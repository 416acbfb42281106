"""Dumps: what goes to files and databases comes back equal, and nothing is ever half there."""

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from importlib import metadata

import numpy as np
import pandas as pd
import pytest
import sqlalchemy
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev
from eventide.observe import formats

FILES = ["table.csv", "table.json", "table.parquet", "table.db"]
KINDS = [*FILES, "postgres"]
MARKED = [
    *(pytest.param(kind, id=kind.rpartition(".")[2]) for kind in FILES),
    pytest.param("postgres", id="postgres", marks=pytest.mark.slow),
]


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0, unit="m", description="above the floor")
    velocity: ev.State = ev.state(0.0, unit="m/s")

    def equations(self):
        self.rate.height = self.velocity
        self.rate.velocity = -9.81

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self):
        self.velocity *= -0.5


@pytest.fixture
def place(tmp_path, request):
    """A function: where a kind of dump goes."""

    def find(kind):
        return request.getfixturevalue("postgres") if kind == "postgres" else tmp_path / kind

    return find


def equal(found, frame):
    """Whether two tables are equal: values, dtypes, index, attributes, and the order of all of them."""
    pd.testing.assert_frame_equal(found, frame, check_exact=True)
    assert list(found.columns) == list(frame.columns)
    assert (found.attrs, found.index.names) == (frame.attrs, frame.index.names)
    return True


def comes_back(frame, where, table="table"):
    ev.save(frame, where, table=table)
    return equal(ev.load(where, table=table), frame)


@pytest.mark.row("R-276")
@pytest.mark.parametrize("kind", MARKED)
def test_a_recording_comes_back_with_sides_units_and_descriptions(place, kind):
    sim = ev.Simulation(time_unit="s")
    trace = sim.record(Ball(sim, name="ball").start(), third=lambda: 1.0 / 3.0, every=0.1, name="flight")
    sim.run(until=3.0)

    ev.save(trace, place(kind))

    found = ev.load(place(kind), table="" if kind in FILES else "flight")
    assert equal(found, trace.to_pandas(sides=True))
    assert found.attrs["units"] == {"time": "s", "ball.height": "m", "ball.velocity": "m/s", "third": ""}
    assert found.attrs["descriptions"] == {"ball.height": "above the floor"}
    assert list(found["side"].unique()) == ["after", "", "before"]


@pytest.mark.parametrize("kind", MARKED)
def test_a_recording_of_a_class_comes_back_with_the_names_of_components(place, kind):
    sim = ev.Simulation()
    for name in ("red", "blue; 'drop' \"it\""):
        Ball(sim, name=name).start()
    trace = sim.record(Ball, every=0.5)
    sim.run(until=2.0)

    assert comes_back(trace.to_pandas(sides=True), place(kind))


@pytest.mark.parametrize("kind", MARKED)
def test_every_kind_of_column_comes_back(place, kind):
    frame = pd.DataFrame(
        {
            "float": [0.1, np.nan, np.inf, -np.inf, 5e-324, 1.7976931348623157e308],
            "single": np.array([0.1, 1, 2, 3, 4, np.nan], dtype="float32"),
            "whole": [2**53 + 1, -(2**63), 2**63 - 1, 0, 1, 2],
            "small": np.array([-128, 127, 0, 1, 2, 3], dtype="int8"),
            "unsigned": np.array([0, 65535, 2, 3, 4, 5], dtype="uint16"),
            "truth": [True, False, True, True, False, False],
            "text": ["", "NaN", "\\N", "null", 'a,"b"\r\n', "\\"],
            "missing": ["é漢😀", None, "None", "", " x ", "1.0"],
        }
    )
    frame.attrs = {"name": "kinds", "units": {"float": "m"}, "note": ["any", 1, 2.5, True, {"deep": None}]}

    assert comes_back(frame, place(kind))


@pytest.mark.parametrize("kind", MARKED)
def test_an_empty_table_comes_back_with_its_columns(place, kind):
    frame = pd.DataFrame({"a": np.array([], dtype="float64"), "b": pd.array([], dtype="str")})

    assert comes_back(frame, place(kind))


@pytest.mark.parametrize("kind", MARKED)
def test_an_index_of_several_levels_comes_back(place, kind):
    frame = pd.DataFrame({"run": [1, 1, 2], "time": [0.0, 1.0, 0.0], "x": [1.0, 2.0, 3.0]}).set_index(["run", "time"])

    assert comes_back(frame, place(kind))


HOSTILE = [
    "select",
    'with "quotes"',
    "it's; DROP TABLE flight; --",
    "percent %s %(x)s %",
    "colon :x :y",
    "paren (a) [m]",
    "tab\tand\nline",
    "Größe 漢字 😀",
    " spaces ",
    "A",
    "a",
    "b",
    "B",
    "row number",
    "eventide_tables",
    "x" * 80 + "1",
    "x" * 80 + "2",
    "back\\slash",
    "?",
    "{brace}",
    "time",
]


@pytest.mark.parametrize("kind", MARKED)
def test_hostile_names_survive(place, kind):
    # For SQLite, SQLAlchemy before 2.0.58 takes %(x)s in the name of a column for a parameter, and raises.
    version = [int(part) for part in metadata.version("sqlalchemy").split(".")[:3]]
    names = [name for name in HOSTILE if version >= [2, 0, 58] or not kind.endswith("db") or "%(" not in name]
    frame = pd.DataFrame({name: [float(number), -1.0] for number, name in enumerate(names)})
    frame.attrs = {"units": dict.fromkeys(names, 'm "per" s'), "descriptions": {}}

    for table in ('the "best" table; DROP', "select"):
        assert comes_back(frame, place(kind), table)


LETTERS = st.characters(exclude_characters="\0", exclude_categories=["Cs"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
@given(
    names=st.lists(
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1), min_size=1, unique=True
    ),
    texts=st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), max_size=3),
    number=st.floats(),
)
def test_any_names_texts_and_numbers_come_back(tmp_path_factory, kind, names, texts, number):
    columns = {
        name: pd.array(texts, dtype="str") if place % 2 else [number] * len(texts) for place, name in enumerate(names)
    }
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(texts)))
    if names and not texts:
        frame = frame.astype({name: "str" if place % 2 else "float64" for place, name in enumerate(names)})

    assert comes_back(frame, tmp_path_factory.mktemp("dump") / kind) if names else True


@pytest.mark.parametrize("kind", MARKED)
def test_a_dump_takes_the_place_of_an_older_one(place, kind):
    old, new = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), pd.DataFrame({"c": [3]})

    assert comes_back(old, place(kind))
    assert comes_back(new, place(kind))


# --- what cannot be dumped --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), "two columns are called 'a': rename one of them"),
        (pd.DataFrame([[1.0]], columns=[""]), "columns whose names are texts, not empty, and got ''"),
        (pd.DataFrame([[1.0]], columns=["a\0b"]), r"columns whose names are texts, not empty, and got 'a\\x00b'"),
        (pd.DataFrame([[1.0]]), "columns whose names are texts, not empty, and got 0"),
        (pd.DataFrame({"a": [1j]}), "column 'a' is of dtype complex128: a dump takes numbers of at most 8 bytes"),
        (pd.DataFrame({"a": np.array([1j], dtype="complex64")}), "column 'a' is of dtype complex64: a dump takes"),
        (pd.DataFrame({"a": [object()]}), "column 'a' is of dtype object"),
        (pd.DataFrame({"a": pd.to_datetime(["2026-01-01"])}), "column 'a' is of dtype datetime64"),
        (pd.DataFrame({"a": [1.0]}, index=[5]), "keeps its index by name: set frame.index.name, or reset_index"),
        (pd.DataFrame({"a": [1.0]}, index=pd.Index([0.0], name="a")), r"the index \['a'\] of the DataFrame has a name"),
    ],
)
@pytest.mark.parametrize("kind", FILES)
def test_a_table_that_would_not_come_back_is_refused_and_the_old_one_stays(tmp_path, kind, frame, complaint):
    path, old = tmp_path / kind, pd.DataFrame({"kept": [1.0]})
    ev.save(old, path, table="table")

    with pytest.raises(ev.ModelError, match=complaint):
        ev.save(frame, path, table="table")

    assert equal(ev.load(path), old)
    assert [path.name for path in tmp_path.iterdir()] == [kind]


@pytest.mark.parametrize("value", [object(), float("nan"), {1: 2}, (1, 2)])
def test_attributes_that_would_not_come_back_are_refused(tmp_path, value):
    frame = pd.DataFrame({"a": [1.0]})
    frame.attrs["note"] = value

    with pytest.raises(ev.ModelError, match=r"attrs\['note'\] is .*: a dump takes attributes of texts"):
        ev.save(frame, tmp_path / "table.csv")


@pytest.mark.parametrize(
    ("library", "extra", "name"), [("pyarrow", "parquet", "table.parquet"), ("sqlalchemy", "sql", "table.db")]
)
def test_a_library_that_is_not_there_is_named_with_its_extra(tmp_path, monkeypatch, library, extra, name):
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(
        ev.MissingLibraryError, match=rf"needs {library}, .*: run pip install 'eventide-sim\[{extra}\]'"
    ):
        ev.save(pd.DataFrame({"a": [1.0]}), tmp_path / name, table="table")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("where", ["table", "table.xlsx", "table.csv.gz"])
def test_a_place_of_another_kind_is_refused_with_those_allowed(tmp_path, where):
    known = r"must end in .csv, .json, .parquet, .db, .sqlite, .sqlite3, or be the URL of a database"
    with pytest.raises(ev.ModelError, match=known):
        ev.save(pd.DataFrame(), tmp_path / where)
    with pytest.raises(ev.ModelError, match=known):
        ev.load(tmp_path / where)


@pytest.mark.parametrize("kind", FILES)
def test_what_is_not_there_cannot_be_read_and_is_not_made(tmp_path, kind):
    with pytest.raises(ev.InputError, match=rf"{kind} does not exist: name a file to read"):
        ev.load(tmp_path / kind)
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*none"):
        ev.save(pd.DataFrame({"a": [1.0]}), tmp_path / "none" / kind, table="table")

    assert list(tmp_path.iterdir()) == []


def test_a_database_that_is_not_there_is_not_made_by_reading(tmp_path):
    with pytest.raises(ev.InputError, match=r"no.db does not exist: name a database to read"):
        ev.load(f"sqlite:///{tmp_path / 'no.db'}")

    assert list(tmp_path.iterdir()) == []


def test_a_url_that_is_none_says_what_one_looks_like():
    with pytest.raises(
        ev.ModelError,
        match=r"what begins with '' is no URL of a database that is known: write one like sqlite:///runs.db",
    ):
        ev.save(pd.DataFrame({"a": [1.0]}), "://x", table="table")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.json", "{", "a.json is no table of eventide"),
        ("a.json", '{"a": 1}', "a.json is no table of eventide: KeyError"),
        ("a.json", '{"eventide table": {"version": 99}}', "was written by a later eventide: update eventide"),
        ("a.csv", "# eventide table: {}\na\n1\n", "a.csv is no table of eventide: its schema cannot be understood"),
    ],
)
def test_a_file_that_cannot_be_understood_is_refused(tmp_path, name, text, complaint):
    (tmp_path / name).write_text(text)

    with pytest.raises(ev.InputError, match=complaint):
        ev.load(tmp_path / name)


def test_a_csv_file_that_another_program_has_changed_is_refused(tmp_path, table):
    path = tmp_path / "table.csv"
    ev.save(table, path)
    mark, header, *rows = path.read_text(encoding="utf-8").splitlines()
    quoted = mark.replace('"', '""')
    path.write_text("\n".join([f'"{quoted}"', header, *rows]), encoding="utf-8")
    with pytest.raises(ev.InputError, match=r"table\.csv is of eventide, and another program has written it again"):
        ev.load(path)
    swapped = ",".join(reversed(header.split(",")))
    path.write_text("\n".join([mark, swapped, *rows]), encoding="utf-8")
    with pytest.raises(ev.InputError, match=r"table\.csv has the columns \[.*\], and by its first line they are \["):
        ev.load(path)


def test_a_csv_file_with_a_broken_row_is_refused(tmp_path):
    path = tmp_path / "table.csv"
    ev.save(pd.DataFrame({"a": [1.0], "b": [2.0]}), path)
    path.write_text(path.read_text() + "3.0\n")

    with pytest.raises(ev.InputError, match="has rows of other lengths than the 2 columns of its first line"):
        ev.load(path)


# --- what others make of it -------------------------------------------------------------------------------------------


@pytest.fixture
def table():
    frame = pd.DataFrame({"x": [0.1, np.nan], "name": ["a", "b"]}, index=pd.Index([0.0, 1.0], name="time"))
    frame.attrs = {"name": "table", "units": {"x": "m"}, "descriptions": {"x": "how far"}}
    return frame


def test_a_csv_file_has_a_line_about_itself_a_header_with_units_and_rows(tmp_path, table):
    ev.save(table, tmp_path / "table.csv")

    first, *rest = (tmp_path / "table.csv").read_text().splitlines()
    assert first.startswith("# eventide table: {")
    assert rest == ['"time","x [m]","name"', '0.0,0.1,"a"', '1.0,nan,"b"']
    assert pd.read_csv(tmp_path / "table.csv", comment="#")["x [m]"][0] == 0.1


def test_pandas_reads_a_parquet_file_equal_and_arrow_finds_unit_and_meaning(tmp_path, table):
    ev.save(table, tmp_path / "table.parquet")

    assert equal(pd.read_parquet(tmp_path / "table.parquet"), table)
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_schema(tmp_path / "table.parquet").field("x").metadata == {
        b"unit": b"m",
        b"description": b"how far",
    }


def test_a_json_file_is_plain_json(tmp_path, table):
    ev.save(table, tmp_path / "table.json")

    def refuse(constant):
        raise AssertionError(constant)

    found = json.loads((tmp_path / "table.json").read_text(), parse_constant=refuse)
    assert found["data"] == {"time": [0.0, 1.0], "x": [0.1, "NaN"], "name": ["a", "b"]}
    assert found["eventide table"]["attributes"] == table.attrs


def test_sqlite_itself_finds_the_columns_by_name(tmp_path, table):
    ev.save(table, tmp_path / "table.db")

    with sqlite3.connect(tmp_path / "table.db") as connection:
        rows = connection.execute('SELECT time, x, name FROM "table" ORDER BY "row number"').fetchall()
    connection.close()
    assert rows == [(0.0, 0.1, "a"), (1.0, None, "b")]


def test_files_of_others_are_read_as_pandas_does(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,x\n")
    pd.DataFrame({"a": [1], "b": ["x"]}).to_parquet(tmp_path / "a.parquet")
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE t (a, b)")
        connection.execute("INSERT INTO t VALUES (1, 'x')")
    connection.close()

    for name in ("a.csv", "a.parquet", "a.db"):
        found = ev.load(tmp_path / name, table="t")
        assert found.to_dict("list") == {"a": [1], "b": ["x"]}


# --- databases --------------------------------------------------------------------------------------------------------


def foreign(url):
    """Make a table that is not of eventide."""
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE IF EXISTS customers")
        connection.exec_driver_sql("CREATE TABLE customers (name VARCHAR(20))")
        connection.exec_driver_sql("INSERT INTO customers VALUES ('Smith')")
    engine.dispose()


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def test_a_table_of_others_is_never_replaced(tmp_path, request, kind):
    url = request.getfixturevalue("postgres") if kind == "postgres" else f"sqlite:///{tmp_path / 'a.db'}"
    foreign(url)

    with pytest.raises(ev.ModelError, match="has a table 'customers' that was not dumped by eventide: it stays as"):
        ev.save(pd.DataFrame({"a": [1.0]}), url, table="customers")

    assert ev.load(url, table="customers").to_dict("list") == {"name": ["Smith"]}


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def test_a_dump_to_a_database_that_fails_leaves_the_old_table(tmp_path, request, kind, monkeypatch):
    url = request.getfixturevalue("postgres") if kind == "postgres" else f"sqlite:///{tmp_path / 'a.db'}"
    old = pd.DataFrame({"a": [1.0, 2.0]})
    ev.save(old, url, table="kept")
    sim = ev.Simulation()
    trace = sim.record(x=lambda: 1.0, every=1.0)

    def fail(rows):
        raise OSError("no space left")

    outlet = trace.stream_to(url, table="kept", rows=2)
    write = outlet._receive
    monkeypatch.setattr(outlet, "_receive", lambda rows: (write(rows), fail(rows)))
    with pytest.raises(OSError, match="no space"), outlet:
        sim.run(until=9.0)

    assert equal(ev.load(url, table="kept"), old)


def test_a_database_with_several_tables_needs_the_name_of_one(tmp_path):
    path = tmp_path / "a.db"
    for name in ("first", "second"):
        ev.save(pd.DataFrame({"a": [1.0]}), path, table=name)
    foreign(f"sqlite:///{path}")

    with pytest.raises(ev.InputError, match=r'which table\? Give table="..."; eventide dumped there: first, second'):
        ev.load(path)
    with pytest.raises(ev.InputError, match=r"has no table 'third'; it has: first, second, customers"):
        ev.load(path, table="third")


def test_a_table_that_somebody_has_dropped_is_not_there_and_can_be_dumped_again(tmp_path):
    path, frame = tmp_path / "a.db", pd.DataFrame({"a": [1.0]})
    for name in ("first", "second"):
        ev.save(frame, path, table=name)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE first")
    connection.close()

    with pytest.raises(ev.InputError, match=r"has no table 'first'; it has: second$"):
        ev.load(path, table="first")
    assert comes_back(frame, path, "first")


@pytest.mark.slow
def test_a_name_that_postgresql_would_cut_is_refused(postgres):
    with pytest.raises(ev.ModelError, match="the name of a table has 63 bytes at most in this database, and got 'ééé"):
        ev.save(pd.DataFrame({"a": [1.0]}), postgres, table=32 * "é")
    assert comes_back(pd.DataFrame({"a": [1.0]}), postgres, table=31 * "é")


def test_a_table_needs_a_name_of_its_own(tmp_path):
    frame = pd.DataFrame({"a": [1.0]})
    with pytest.raises(ev.ModelError, match=r"a table in a database needs a name: save\(data, url, table"):
        ev.save(frame, tmp_path / "a.db")
    with pytest.raises(ev.ModelError, match="eventide_tables is where eventide keeps what it knows of its tables"):
        ev.save(frame, tmp_path / "a.db", table="eventide_tables")


def test_passwords_are_not_told(tmp_path, monkeypatch):
    url = f"sqlite://user:secret@/{tmp_path / 'a.db'}"
    with pytest.raises(Exception) as refused:  # noqa: PT011  # whatever is raised is the subject
        ev.load(url)
    assert "secret" not in str(refused.value)


# --- a kill in the middle ---------------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
import numpy as np
import pandas as pd
import eventide as ev
from eventide.observe import formats
from eventide.observe import dumps, table_schema

where = sys.argv[1]
flatten = table_schema.flatten
calls = 0

def flatten_and_die(frame):
    # The second piece is being written: what came before is in the unfinished file or the open transaction.
    global calls
    calls += 1
    if calls == {fatal}:
        sys.stdout.write("killed")
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    return flatten(frame)

from eventide.observe import formats, sql
sql.flatten = formats.flatten = flatten_and_die
sim = ev.Simulation()
trace = sim.record(x=lambda: 1.0, every=1.0)
with trace.stream_to(where, rows=5000, table="table"):
    sim.run(until=20000.0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["table.csv", "table.parquet", "table.db", "postgres"])
def test_a_kill_in_the_middle_of_a_dump_leaves_the_old_one_whole(place, kind):
    old = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    where = place(kind)
    ev.save(old, where, table="table")
    program = KILLED.replace("{fatal}", "3")
    done = subprocess.run([sys.executable, "-c", program, str(where)], capture_output=True, text=True, check=False)

    assert (done.stdout, done.returncode) == ("killed", -signal.SIGKILL), done.stderr
    assert equal(ev.load(where, table="table"), old)
    # And the next dump finds nothing in its way.
    new = pd.DataFrame({"c": [3]})
    assert comes_back(new, where)


def test_a_level_of_the_index_without_a_name_and_a_table_without_columns_are_refused(tmp_path):
    index = pd.MultiIndex.from_tuples([(1, "x"), (2, "y")], names=["i", None])
    with pytest.raises(
        ev.ModelError, match=r"keeps its index by name, and the levels of this are called \['i', None\]"
    ):
        ev.save(pd.DataFrame({"a": [1.0, 2.0]}, index=index), tmp_path / "a.csv")
    with pytest.raises(ev.ModelError, match=r"^there is nothing to save: the table has no columns$"):
        ev.save(pd.DataFrame(index=range(3)), tmp_path / "a.db", table="t")
    assert list(tmp_path.iterdir()) == []


def test_an_ending_that_is_none_is_refused(tmp_path, table):
    with pytest.raises(ev.ModelError, match=r"^ending= takes one of \.csv, \.json, .*, and got 'csv'$"):
        ev.save(table, tmp_path / "table", ending="csv")


def test_a_database_that_takes_nothing_now_is_told_of_in_a_line(tmp_path, table, monkeypatch):
    create = sqlalchemy.create_engine
    monkeypatch.setattr("sqlalchemy.create_engine", lambda url: create(url, connect_args={"timeout": 0.0}))
    sim = ev.Simulation()
    with (
        sim.record(a=lambda: 1.0, name="a").stream_to(tmp_path / "both.db"),
        pytest.raises(ev.InputError, match=r"both\.db cannot be written: database is locked: .* a file of its own$"),
    ):
        sim.record(b=lambda: 1.0, name="b").stream_to(tmp_path / "both.db")
    (tmp_path / "text.db").write_text("no database", encoding="utf-8")
    with pytest.raises(ev.InputError, match=r"text\.db cannot be written: file is not a database$"):
        ev.save(table, tmp_path / "text.db")


def test_what_is_no_table_is_refused_and_its_tables_are_named(tmp_path):
    @ev.model(until=1.0)
    def nothing(sim):
        return {"time": lambda: sim.time}

    told = "only a recording or a DataFrame can be saved, and got a "
    with pytest.raises(ev.ModelError) as caught:
        ev.save(nothing.replicate(2, entropy=1), tmp_path / "table.csv")
    assert str(caught.value) == f"{told}Replication: save its tables one by one, inputs, responses, states"
    with pytest.raises(ev.ModelError, match=f"{told}list$"):
        ev.save([1.0], tmp_path / "table.csv")
    assert list(tmp_path.iterdir()) == []


# --- damage


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_a_damaged_file_is_refused_or_read_and_nothing_else(tmp_path, kind):
    place = tmp_path / kind
    frame = pd.DataFrame({"a": [1.5, np.nan], "b": [1, 2], "c": ["x", "y"], "d": [True, False]})
    frame.attrs["units"] = {"a": "m"}
    ev.save(frame, place, table="table")
    whole = place.read_bytes()
    random = np.random.default_rng(1)
    refused = 0
    for trial in range(60):
        content = bytearray(whole)
        at = int(random.integers(len(whole)))
        if trial % 3 == 0:
            content = content[:at]
        elif trial % 3 == 1:
            content[at] = int(random.integers(256))
        else:
            del content[at : at + int(random.integers(1, 9))]
        place.write_bytes(content)
        try:
            ev.load(place)
        except ev.InputError:
            refused += 1
    assert refused >= 20


@pytest.mark.parametrize("dtype", ["S2000000000", "(2000000000,)f8", "float128", "O", "M8[ns]", "f8,f8", "", "nothing"])
def test_a_type_that_no_column_has_is_refused_before_it_asks_for_memory(tmp_path, dtype):
    place = tmp_path / "table.json"
    ev.save(pd.DataFrame({"a": [1.5]}), place)
    place.write_text(place.read_text().replace('"float64"', json.dumps(dtype)))
    with pytest.raises(ev.InputError, match="its schema cannot be understood"):
        ev.load(place)


@pytest.mark.parametrize(
    ("dtype", "told"), [("int64", "[1, 2.5]"), ("bool", "[true, 1]"), ("int64", '[1, "2"]'), ("int64", "[1]")]
)
def test_a_json_file_whose_values_are_of_another_kind_or_lost_is_refused(tmp_path, dtype, told):
    place = tmp_path / "table.json"
    ev.save(pd.DataFrame({"a": [11, 12], "b": [1.5, 2.5]}), place)
    place.write_text(place.read_text().replace('"int64"', json.dumps(dtype)).replace("[11, 12]", told))
    with pytest.raises(ev.InputError):
        ev.load(place)


@pytest.mark.parametrize("kind", FILES)
def test_a_long_text_comes_back(tmp_path, kind):
    assert comes_back(pd.DataFrame({"a": ["x" * 131_073, "y"]}), tmp_path / kind)


def test_numbers_that_no_database_holds_are_refused_and_the_old_table_stays(tmp_path):
    old = pd.DataFrame({"a": np.array([1, 2**63 - 1], np.uint64)})
    assert comes_back(old, tmp_path / "table.db")
    with pytest.raises(ev.ModelError, match="column 'a' holds 9223372036854775808: a database takes whole numbers"):
        ev.save(pd.DataFrame({"a": np.array([2**63], np.uint64)}), tmp_path / "table.db", table="table")
    assert equal(ev.load(tmp_path / "table.db"), old)


def test_a_format_is_one_line_in_one_table(tmp_path, monkeypatch):
    """As CONTRIBUTING says: whoever adds a format changes nothing else."""

    @contextmanager
    def writer(path, head):
        frames = []
        yield frames.append
        pd.concat(frames).to_pickle(path)

    monkeypatch.setitem(formats.FORMATS, ".pickle", formats.Format(writer, pd.read_pickle))
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.Index([0.0, 0.5], name="time"))
    ev.save(frame, tmp_path / "table.pickle")
    pd.testing.assert_frame_equal(ev.load(tmp_path / "table.pickle"), frame)
    sim = ev.Simulation()
    with sim.record(one=lambda: 1.0, every=1.0).stream_to(tmp_path / "rows.pickle"):
        sim.run(until=2.0)
    assert len(ev.load(tmp_path / "rows.pickle")) == 3
