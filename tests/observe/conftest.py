"""A PostgreSQL server for tests: one that is named by the environment, or one of the machine's own, started here."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from secrets import token_hex

import pytest
import sqlalchemy

NAMED_BY = "EVENTIDE_TEST_POSTGRES_URL"


@pytest.fixture(scope="session")
def postgres():
    """The URL of a database of a PostgreSQL server, for the tests to dump to."""
    if NAMED_BY in os.environ:
        yield from _own_schema(os.environ[NAMED_BY])
        return
    tool = _control()
    if tool is None:
        pytest.skip(f"no PostgreSQL server: install Debian's postgresql, or name a database by {NAMED_BY}")
    # Not in the folder of pytest: the server's user may not look into that, and the name of a socket is short.
    with tempfile.TemporaryDirectory(prefix="eventide-pg-") as folder:
        yield from _serve(tool, Path(folder))


def _own_schema(url):
    """The same database with a schema of this run's own, so that nothing of others is met."""
    schema = f"eventide_{token_hex(8)}"
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    own = engine.url.update_query_dict({"options": f"-csearch_path={schema}"})
    try:
        yield own.render_as_string(hide_password=False)
    finally:
        with engine.begin() as connection:
            connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
        engine.dispose()


def _control():
    """The program that makes and starts servers, if one is installed."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    found = str(places[-1]) if places else shutil.which("pg_ctl")
    return Path(found) if found else None


def _serve(tool, folder):
    """A server that listens on a socket in a folder of its own, and on no port."""
    # It refuses to be root; Debian's package brings a user for it.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    data, log = folder / "data", folder / "log"

    def call(*words):
        # What the server inherits it keeps open: a pipe would never end.
        with (folder / "output").open("w+") as output:
            done = subprocess.run([tool, *words], check=False, stdout=output, stderr=output, user=user, cwd=folder)
            output.seek(0)
            assert done.returncode == 0, output.read() + (log.read_text() if log.exists() else "")

    call("init", "-D", data, "-o", "--auth=trust --username=tester --encoding=UTF8 --no-sync")
    call("start", "-w", "-D", data, "-l", log, "-o", f"-k {folder} -c listen_addresses='' -c fsync=off")
    try:
        yield f"postgresql+psycopg://tester@/postgres?host={folder}"
    finally:
        call("stop", "-D", data, "-m", "immediate")
