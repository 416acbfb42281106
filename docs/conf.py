"""How the site is built: `make docs` writes it to docs/_build/html, and a warning is an error."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.pop("MPLBACKEND", None)  # the kernels' own shows figures below their cells; any other shows none there
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

import eventide  # noqa: E402  # by the line above the extensions are found; all imports stay together

project = "eventide"
author = "The eventide authors"
copyright = author  # noqa: A001  # the name that Sphinx reads
version = release = eventide.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "columns",  # the two-column tables of our docstrings
    "thumbnails",  # of the gallery, without words
    "public_names",  # the reference, from the list of public names
]
exclude_patterns = ["_build", "_extensions", "gallery", "examples/*.ipynb"]  # those notebooks are to be taken away
templates_path: list[str] = []
nitpicky = False  # types of numpy, pandas and matplotlib are named in signatures without a page of ours
suppress_warnings = ["ref.python"]  # `Replication` is a class of `eventide` and another of `experiment.systems`

default_role = "code"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# The programs of the pages are cells of notebooks: they run while the site is built, and an error ends the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
add_module_names = False
intersphinx_mapping: dict[str, tuple[str, None]] = {}  # the site is built without the network

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"/\d\d_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "only_warn_on_example_error": False,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 20,
    "image_scrapers": ("thumbnails",),
    "capture_repr": ("_repr_html_",),  # not the text of what draws, as `<Axes: ...>`
    "parallel": 2,
}

html_theme = "furo"
html_title = f"eventide {version}"
html_theme_options = {
    "source_repository": "",
    "light_css_variables": {"color-brand-primary": "#0b6e99", "color-brand-content": "#0b6e99"},
    "dark_css_variables": {"color-brand-primary": "#5cc3e8", "color-brand-content": "#5cc3e8"},
}
html_static_path = ["_static"]
html_css_files = ["eventide.css"]
html_js_files = ["versions.js"]
html_copy_source = False
