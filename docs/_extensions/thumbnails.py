"""Thumbnails of the gallery that can be read: the figure without its words, with strong lines, and of one size.

A figure made for a page has labels, legends and thin lines, of which a thumbnail shows grey dust. So each figure is
drawn once more, without axes, while its example runs; that one becomes the thumbnail.
"""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any, Final

WIDTH, HEIGHT, DPI = 4.8, 3.36, 125
STRONG: Final = 2.2
"""How much wider lines are."""
POINT: Final = 5.0
"""How large points are at least."""


def scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """What sphinx-gallery calls after each block of an example: keep its figures, and their thumbnails beside."""
    from matplotlib import pyplot as plt
    from sphinx_gallery.scrapers import matplotlib_scraper

    kept = _folder(gallery_conf["src_dir"])
    kept.mkdir(parents=True, exist_ok=True)
    stem = Path(block_vars["src_file"]).stem
    first = len(block_vars["image_path_iterator"]) + 1
    for place, number in enumerate(plt.get_fignums()):
        bare = _bare(pickle.loads(pickle.dumps(plt.figure(number))))  # our own figure, a moment ago
        bare.savefig(kept / f"{stem}_{first + place}.png", dpi=DPI)
        plt.close(bare)
    return str(matplotlib_scraper(block, block_vars, gallery_conf, bbox_inches="tight"))


def _get_sg_image_scraper() -> Any:
    """What sphinx-gallery asks a module for that is named as a scraper."""
    return scraper


def _bare(figure: Any) -> Any:
    """A figure without words and axes."""
    figure.set_size_inches(WIDTH, HEIGHT)
    figure.suptitle("")
    for axes in list(figure.axes):
        if hasattr(axes, "_colorbar"):
            axes.remove()
            continue
        axes.set_title("")
        axes.set_axis_off()
        if len(figure.axes) > 2:  # side by side there is no room for a scale
            axes.set_aspect("auto")
        if axes.get_legend() is not None:
            axes.get_legend().remove()
        for text in list(axes.texts):
            text.set_visible(False)
        for line in axes.lines:
            line.set_linewidth(line.get_linewidth() * STRONG)
            line.set_markersize(max(line.get_markersize(), POINT))
    for legend in list(figure.legends):
        legend.remove()
    return figure


def _folder(source: str) -> Path:
    return Path(source) / "_build" / "thumbnails"


def _number(script: Path) -> int:
    """Which figure an example is shown by: the first, unless it says another."""
    found = re.search(r"sphinx_gallery_thumbnail_number = (\d+)", script.read_text(encoding="utf-8"))
    return int(found.group(1)) if found else 1


def replace(app: Any) -> None:
    """Put the bare figures in the place of those that sphinx-gallery has made smaller."""
    gallery = Path(app.srcdir) / "gallery"
    for script in sorted(gallery.glob("[0-9]*.py")):
        bare = _folder(app.srcdir) / f"{script.stem}_{_number(script)}.png"
        thumbnail = Path(app.srcdir) / "examples" / "images" / "thumb" / f"sphx_glr_{script.stem}_thumb.png"
        if bare.exists() and thumbnail.exists():
            thumbnail.write_bytes(bare.read_bytes())


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx; the gallery is made by a handler of the same event, which comes before."""
    app.connect("builder-inited", replace, priority=900)
    return {"parallel_read_safe": True}
