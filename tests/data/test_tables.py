"""Tables of input data: what is read, and what is said when it cannot be."""

import re

import numpy as np
import pytest

import eventide as ev

ROAD = "position_m,height_m,note\n0,0.5,start\n1.5, -1e-3 ,\n\n2,0.25,end\n"


@pytest.fixture
def table(tmp_path):
    """A function: write this text to a file, read these columns of it; `{file}` stands for its path."""

    def read(text, columns=("position_m", "height_m"), **options):
        path = tmp_path / "road.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return ev.data.read_table(path, columns, **options)

    return read


def test_columns_are_arrays_by_name(table):
    read = table(ROAD, increasing="position_m")

    assert list(read) == ["position_m", "height_m"]
    assert [(data.dtype, data.tolist()) for data in read.values()] == [
        (np.float64, [0.0, 1.5, 2.0]),
        (np.float64, [0.5, -1e-3, 0.25]),
    ]


def test_columns_are_found_by_name_not_by_place(table):
    read = table("a, b\n1,2\n", columns=["b", "a"])

    assert {name: data.tolist() for name, data in read.items()} == {"b": [2.0], "a": [1.0]}


def test_a_spreadsheets_mark_of_utf_8_is_no_part_of_the_first_name(table):
    assert table(b"\xef\xbb\xbfa\r\n1\r\n", columns=["a"])["a"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", " is empty: it should be a CSV file with the columns position_m, height_m"),
        ("\n\n", " is empty: it should be a CSV file with the columns position_m, height_m"),
        ("position_m,height_m\n", " has a header and no rows: every row gives the columns position_m, height_m"),
        ("position_m,level_m\n0,1\n", " has no column height_m; its columns are position_m, level_m"),
        ("position_m;height_m\n0;1\n", " has no column position_m; its columns are position_m;height_m"),
        (
            "position_m,height_m,height_m\n0,1,2\n",
            " has more than one column height_m; its columns are position_m, height_m, height_m",
        ),
        (
            "position_m,height_m\n0,1\n1,flat\n",
            ", line 3: height_m is 'flat'; allowed is a finite number, as 0.25 or 1e-3",
        ),
        ("position_m,height_m\n0,1_0\n", ", line 2: height_m is '1_0'; allowed is a finite number, as 0.25 or 1e-3"),
        ("position_m,height_m\n0,nan\n", ", line 2: height_m is 'nan'; allowed is a finite number, as 0.25 or 1e-3"),
        (
            "position_m,height_m\n-inf,1\n",
            ", line 2: position_m is '-inf'; allowed is a finite number, as 0.25 or 1e-3",
        ),
        (
            "position_m,height_m\n0,1\n\n2, \n",
            ", line 4: height_m is an empty cell; allowed is a finite number, as 0.25 or 1e-3",
        ),
        (
            "position_m,height_m\n0,1\n2\n",
            ", line 3: height_m is an empty cell; allowed is a finite number, as 0.25 or 1e-3",
        ),
        ("position_m,height_m\n0,5,1\n", ", line 2: 3 cells where the header has 2"),
        ("position_m,height_m\n0,1\n\n0,2\n", ", line 4: position_m must increase, and 0.0 comes after 0.0 in line 2"),
        (
            "position_m,height_m\n0,1\n3,1\n2.5,1\n",
            ", line 4: position_m must increase, and 2.5 comes after 3.0 in line 3",
        ),
        (b"position_m,height_m\n0,\xff\n", " is no CSV file in UTF-8: "),
        ('position_m,height_m\n0,"1\n', " is no CSV file in UTF-8: unexpected end of data"),
    ],
    ids=[
        "empty",
        "blank",
        "no rows",
        "no column",
        "semicolons",
        "two columns",
        "text",
        "underscore",
        "nan",
        "infinity",
        "empty cell",
        "short row",
        "long row",
        "equal",
        "falling",
        "not text",
        "quote",
    ],
)
def test_a_table_that_cannot_be_used_says_where_and_why(table, tmp_path, text, complaint):
    with pytest.raises(ev.InputError, match="^" + re.escape(f"{tmp_path / 'road.csv'}{complaint}")):
        table(text, increasing="position_m")


def test_only_what_is_asked_for_must_be_right(table):
    assert table("a,b\n2,x\n1,\n", columns=["a"])["a"].tolist() == [2.0, 1.0]


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ev.InputError) as refused:
        ev.data.read_table(tmp_path / "no.csv", ["a"])

    assert str(refused.value) == f"{tmp_path / 'no.csv'} does not exist: it should be a CSV file with the column a"


def test_a_folder_is_no_table(tmp_path):
    with pytest.raises(ev.InputError, match="cannot be read: Is a directory"):
        ev.data.read_table(tmp_path, ["a"])


def test_what_increases_is_one_of_the_columns(table):
    with pytest.raises(ev.ModelError, match="increasing='time_s' is none of the columns that it reads"):
        table(ROAD, increasing="time_s")


def test_a_table_that_ev_save_has_written_is_read(tmp_path):
    sim = ev.Simulation()
    rows = sim.record(twice=lambda: 2.0 * sim.time, every=0.5)
    sim.run(until=1.0)
    ev.save(rows, tmp_path / "rows.csv")

    found = ev.data.read_table(tmp_path / "rows.csv", ["time", "twice"], increasing="time")

    assert {name: numbers.tolist() for name, numbers in found.items()} == {
        "time": [0.0, 0.5, 1.0],
        "twice": [0.0, 1.0, 2.0],
    }
