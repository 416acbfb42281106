"""Put the site that `make docs` has built beside those of other versions: `python tools/publish.py FOLDER`.

Each version has a folder of its own, as `FOLDER/0.2.0`; a development version is `dev`. `FOLDER/versions.json` lists
them, newest first, for the switch in the sidebar (`docs/_static/versions.js`); `FOLDER/index.html` leads to the newest
release. FOLDER is then what a web server shows.
"""

import json
import shutil
import sys
from pathlib import Path

import eventide

BUILT = Path(__file__).resolve().parent.parent / "docs" / "_build" / "html"
LEAD = '<!doctype html><meta charset="utf-8"><title>eventide</title><meta http-equiv="refresh" content="0; url={}/">\n'


def publish(built: Path, folder: Path, version: str) -> list[str]:
    """Copy a site into its folder, and list all: their names, releases before `dev`, newest first."""
    if not (built / "index.html").is_file():
        raise FileNotFoundError(f"there is no site in {built}: make docs")
    name = "dev" if "dev" in version else version
    shutil.rmtree(folder / name, ignore_errors=True)
    shutil.copytree(built, folder / name)
    names = [one.parent.name for one in folder.glob("*/index.html")]
    releases = sorted((one for one in names if one != "dev"), key=_place, reverse=True)
    found = [*releases, *(one for one in names if one == "dev")]
    listed = [{"version": one, "url": f"{one}/"} for one in found]
    (folder / "versions.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(LEAD.format(found[0]), encoding="utf-8")
    return found


def _place(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(*publish(BUILT, Path(sys.argv[1]), eventide.__version__))
