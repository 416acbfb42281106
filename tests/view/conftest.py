"""A real browser for tests: Chromium, driven by its own driver over the protocol of the W3C."""

import http.client
import json
import os
import re
import shutil
import subprocess
from base64 import b64decode

import pytest

NAMED_BY = "EVENTIDE_TEST_CHROMEDRIVER"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Browser:
    """One window of a browser."""

    def __init__(self, port, folder):
        self._port = port
        options = {"args": [*ARGUMENTS, f"--user-data-dir={folder}"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self._session = self._ask("POST", "/session", capabilities={"alwaysMatch": wanted})["sessionId"]

    def _ask(self, method, path, **sent):
        line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60.0)
        line.request(method, path, json.dumps(sent), {"Content-Type": "application/json"})
        answer = line.getresponse()
        value = json.loads(answer.read())["value"]
        line.close()
        assert answer.status == 200, value
        return value

    def _do(self, what, **sent):
        return self._ask("POST", f"/session/{self._session}/{what}", **sent)

    def open(self, address, *, width=1000, height=700, theme="light"):
        """Go to a page, in a window of a size, under a theme."""
        self._devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        self._devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self._do("url", url=address)

    def _devtools(self, command, **parameters):
        return self._do("goog/cdp/execute", cmd=command, params=parameters)

    def run(self, script):
        """What a script of the page returns; a promise is waited for."""
        return self._do("execute/sync", script=script, args=[])

    def complaints(self):
        """What the browser has written to its console since the last call."""
        return [entry["message"] for entry in self._do("se/log", type="browser")]

    def picture(self):
        """The window as a PNG."""
        return b64decode(self._ask("GET", f"/session/{self._session}/screenshot"))

    def close(self):
        """Close the window."""
        self._ask("DELETE", f"/session/{self._session}")


@pytest.fixture(scope="module")
def driver():
    """The port of a driver of browsers."""
    tool = os.environ.get(NAMED_BY) or shutil.which("chromedriver")
    if tool is None:
        pytest.skip(f"no browser: install Debian's chromium and chromium-driver, or name a chromedriver by {NAMED_BY}")
    with subprocess.Popen([tool, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            lines = iter(process.stdout.readline, "")
            yield next(int(found[1]) for line in lines if (found := re.search(r"successfully on port (\d+)", line)))
        finally:
            process.terminate()


@pytest.fixture
def browser(driver, tmp_path):
    """A browser with one window."""
    window = Browser(driver, tmp_path)
    yield window
    window.close()
