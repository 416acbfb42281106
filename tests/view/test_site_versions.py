"""Sites of several versions beside each other, and the switch between them."""

import functools
import http.server
import json
import threading
from pathlib import Path

import publish
import pytest

STATIC = Path(__file__).parents[2] / "docs" / "_static"
PAGE = """<!doctype html><html data-content_root="{root}"><body>
<a class="sidebar-brand">eventide</a><p>{name}</p><script src="{root}_static/versions.js"></script>"""
SHOWN = "[...document.querySelectorAll('select.versions option')].map((one) => [one.text, one.selected])"


@pytest.fixture
def built(tmp_path):
    """A site as `make docs` leaves it, of two pages."""
    folder = tmp_path / "html"
    (folder / "_static").mkdir(parents=True)
    (folder / "how-to").mkdir()
    (folder / "_static" / "versions.js").write_text((STATIC / "versions.js").read_text())
    (folder / "index.html").write_text(PAGE.format(root="./", name="start"))
    (folder / "how-to" / "speed.html").write_text(PAGE.format(root="../", name="speed"))
    return folder


def test_each_version_has_a_folder_and_all_are_listed_newest_first(tmp_path, built):
    served = tmp_path / "served"
    for version in ("0.9.0", "0.10.0", "0.11.0.dev4+g1234567", "0.9.1"):
        found = publish.publish(built, served, version)
    assert found == ["0.10.0", "0.9.1", "0.9.0", "dev"]
    listed = json.loads((served / "versions.json").read_text())
    assert listed == [{"version": name, "url": f"{name}/"} for name in found]
    assert "url=0.10.0/" in (served / "index.html").read_text()
    (built / "new.html").write_text("new")
    (built / "how-to" / "speed.html").unlink()
    publish.publish(built, served, "0.9.1")
    assert sorted(path.name for path in (served / "0.9.1").rglob("*.html")) == ["index.html", "new.html"]
    assert sorted(path.name for path in (served / "0.9.0").rglob("*.html")) == ["index.html", "speed.html"]


def test_a_site_that_was_not_built_is_not_published(tmp_path):
    with pytest.raises(FileNotFoundError, match="make docs"):
        publish.publish(tmp_path / "html", tmp_path / "served", "0.1.0")


@pytest.mark.slow
def test_the_switch_shows_the_version_and_leads_to_others(tmp_path, built, browser):
    for version in ("0.1.0", "0.2.0", "0.3.0.dev1"):
        publish.publish(built, tmp_path / "served", version)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path / "served")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        browser.open(f"{address}/0.1.0/how-to/speed.html")
        assert shown(browser) == [["0.2.0", False], ["0.1.0", True], ["dev", False]]
        browser.run("document.querySelector('select').selectedIndex = 2; document.querySelector('select').onchange()")
        browser.open(f"{address}/dev/")
        assert shown(browser) == [["0.2.0", False], ["0.1.0", False], ["dev", True]]
        server.shutdown()


@pytest.mark.slow
def test_a_site_alone_has_no_switch(built, browser):
    browser.open((built / "index.html").as_uri())
    assert browser.run(f"await new Promise((done) => setTimeout(done, 300)); return {SHOWN}") == []


def shown(browser):
    """The versions that the switch offers, once it is there."""
    return browser.run(
        f"for (let k = 0; k < 500 && !({SHOWN}).length; k++) await new Promise((done) => setTimeout(done, 20));"
        f"return {SHOWN}"
    )
