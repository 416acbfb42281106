"""Watching on a page of this machine: a small server that draws when a browser requests the page."""

from __future__ import annotations

import atexit
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import compare_digest, token_urlsafe
from threading import Event, Lock, Thread
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar, Final
from urllib.parse import parse_qs, urlsplit

from eventide.view.palette import DARK, LIGHT
from eventide.view.panels import WIDTH, curves_as_html

if TYPE_CHECKING:
    from eventide.observe.watching import Watch

PAUSE: Final = 0.25
"""Seconds between two pictures at least,"""
SHARE: Final = 0.05
"""and the largest fraction of the time that is spent on drawing: the server tells browsers when to ask again."""
PATIENCE: Final = 2.0
"""How long the end of a watch waits for browsers to fetch the last picture [s]."""


class Page:
    """A server on the loopback interface, in threads of its own, which end with it or with the program.

    address     of the page; it has a secret part, as other users of this machine reach the same port
    """

    def __init__(self, watch: Watch, port: int = 0) -> None:
        self.watch = watch
        self.is_ended = False
        self._server = _Server(("127.0.0.1", port), self)
        self.token = token_urlsafe(16)
        self.address = f"http://127.0.0.1:{self._server.server_port}/{self.token}/"
        self._viewers: dict[str, float] = {}
        self._lock = Lock()
        self._all_have_it = Event()
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), name="eventide page", daemon=True)
        self._thread.start()
        atexit.register(watch.close)

    def notice(self, *, is_at_rest: bool) -> None:
        """Browsers poll by themselves."""

    def picture(self, viewer: str, seen: str, width: int) -> tuple[dict[str, str], str]:
        """The response to a browser: its headers, and a picture, which is empty if the browser has it already.

        viewer      a name that the browser gives itself, so that the end waits for it; seen: the revision that it has
        """
        begun, is_ended, revision = perf_counter(), self.is_ended, f"{self.watch.revision} {width}"
        text = ""
        if is_ended or revision != seen:
            text = curves_as_html(self.watch.snapshot(), width)
        pause = max(PAUSE, (perf_counter() - begun) / SHARE)
        with self._lock:
            if is_ended:
                self._viewers.pop(viewer, None)
                if not self._viewers:
                    self._all_have_it.set()
            elif viewer:
                self._viewers[viewer] = perf_counter() + pause + 1.0
        return {"Revision": revision, "Pause": f"{1000.0 * pause:.0f}", "Ended": str(int(is_ended))}, text

    def close(self) -> None:
        """Wait for connected browsers to fetch the last picture, for two seconds at most, and stop the server."""
        atexit.unregister(self.watch.close)
        with self._lock:
            if self.is_ended:
                return
            self.is_ended = True
            now = perf_counter()
            self._viewers = {viewer: until for viewer, until in self._viewers.items() if until > now}
            if not self._viewers:
                self._all_have_it.set()
        self._all_have_it.wait(PATIENCE)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a browser that holds its line open must not hold up the end of the run

    def __init__(self, place: tuple[str, int], page: Page) -> None:
        self.page = page
        super().__init__(place, _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that disconnects in the middle of a response is no error of the run."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30.0
    server: _Server

    def do_GET(self) -> None:
        """Send the page, or the present picture."""
        asked = urlsplit(self.path)
        token, _, place = asked.path.removeprefix("/").partition("/")
        if not self._is_meant() or not compare_digest(token.encode(), self.server.page.token.encode()):
            self._answer(403, "text/plain", "this page is for those who know its whole address")
        elif place == "":
            self._answer(200, "text/html", PAGE)
        elif place == "curves":
            wanted = {name: values[-1] for name, values in parse_qs(asked.query).items()}
            width = wanted.get("width", "")
            heads, text = self.server.page.picture(
                wanted.get("viewer", ""), wanted.get("seen", ""), min(int(width), 4000) if width.isdecimal() else WIDTH
            )
            self._answer(200, "text/html", text, heads)
        else:
            self._answer(404, "text/plain", "there is nothing here")

    def _is_meant(self) -> bool:
        """Whether the browser means this server: a page from elsewhere that got here by a name of its own does not."""
        port = self.server.server_port
        return self.headers.get("Host") in {f"127.0.0.1:{port}", f"localhost:{port}"}

    def _answer(self, status: int, kind: str, text: str, heads: dict[str, str] | None = None) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in {**self.HEADS, **(heads or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    HEADS: ClassVar = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name of the standard library's argument
        """Say nothing: the terminal is the model's."""


PAGE: Final = (
    """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>eventide</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<style>
body { margin: 0; background: GROUND; color: INK; font: 13px/1.4 system-ui, sans-serif; }
main { max-width: 1100px; margin: 0 auto; }
#lost { padding: 0 12px; }
@media (prefers-color-scheme: dark) { body { background: NIGHT; color: STARS; } }
</style></head><body>
<main id="curves" aria-live="off"></main><p id="lost" role="status"></p>
<script>
const place = document.getElementById("curves"), lost = document.getElementById("lost");
const viewer = Math.random().toString(36).slice(2);
let seen = "", failures = 0;
async function look() {
  let pause = 1000;
  try {
    const width = place.clientWidth - 24;
    const answer = await fetch(`curves?viewer=${viewer}&width=${width}&seen=${encodeURIComponent(seen)}`);
    const text = await answer.text();
    if (text) place.innerHTML = text;
    seen = answer.headers.get("Revision");
    pause = Number(answer.headers.get("Pause"));
    failures = 0;
    lost.textContent = "";
    if (answer.headers.get("Ended") === "1") {
      document.title = "ended - eventide";
      return;
    }
  } catch {
    failures += 1;
    if (failures > 2) lost.textContent = "The program no longer answers. These are the last curves that it gave.";
  }
  setTimeout(look, pause);
}
look();
</script></body></html>
""".replace("GROUND", LIGHT.ground)
    .replace("INK", LIGHT.ink)
    .replace("NIGHT", DARK.ground)
    .replace("STARS", DARK.ink)
)
