"""A PostgreSQL server for tests: one that is named by the environment, or one of the machine's own, started here."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NAMED_BY = "EVENTIDE_TEST_POSTGRES_URL"


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """The URL of an empty database of a PostgreSQL server."""
    url = os.environ.get(NAMED_BY)
    if url:
        return url
    tool = _control()
    if tool is None:
        pytest.skip(f"no PostgreSQL server: install Debian's postgresql, or name a database by {NAMED_BY}")
    return _start(tool, tmp_path_factory)


def _control():
    """The program that makes and starts servers, if one is installed."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    found = str(places[-1]) if places else shutil.which("pg_ctl")
    return Path(found) if found else None


@pytest.fixture(scope="session", autouse=True)
def _stop_servers():
    yield
    for stop in SERVERS:
        stop()


SERVERS = []


def _start(tool, tmp_path_factory):
    """Start a server that listens on a socket in a folder of the test's own, and on no port."""
    folder = tmp_path_factory.mktemp("pg")
    # The server refuses to be root; Debian's package brings a user for it.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        for place in (folder, *list(folder.parents)[:2]):
            place.chmod(0o755)
        shutil.chown(folder, user)
    data = folder / "data"

    def call(*words):
        done = subprocess.run([tool, *words], check=False, capture_output=True, text=True, user=user, cwd=folder)
        assert done.returncode == 0, done.stderr or (folder / "log").read_text()

    call("init", "-D", data, "-o", "--auth=trust --username=tester --encoding=UTF8 --no-sync")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    call("start", "-w", "-D", data, "-l", folder / "log", "-o", options)
    SERVERS.append(lambda: call("stop", "-D", data, "-m", "immediate"))
    return f"postgresql+psycopg://tester@/postgres?host={folder}"
