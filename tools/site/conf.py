"""Settings of Sphinx; `python -m tools.site` reads them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from dalembert import __version__
from tools.site.docstrings import escaped
from tools.site.mathml import displayed, inline
from tools.site.references import Document, package_of, qualify
from tools.site.source import STATIC

project = "dalembert"
author = "The dalembert developers"
copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
# q' is a derivative, "check" a string: quotes stay as they are typed
smartquotes = False

# headings have the anchors that the pages have in the repository
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
suppress_warnings = ["myst.header"]

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
toc_object_entries_show_parents = "hide"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
add_module_names = False
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"dalembert {version}"
html_static_path = ["static"]
html_css_files = ["math.css", "site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_math_renderer = "mathml"
html_copy_source = False
# summaries would be fetched, which browsers forbid for files without a server
html_show_search_summary = False
html_theme_options = {"navigation_with_keys": True}

COLON = "\N{PRESENTATION FORM FOR VERTICAL COLON}"
"""Stands for a colon for a while; no docstring has it."""


class Application(Protocol):
    """What an extension needs of Sphinx."""

    env: Any
    srcdir: str

    def connect(self, event: str, callback: Callable[..., object], priority: int = 500) -> int:
        """Call a function when something happens."""
        ...

    def add_html_math_renderer(self, name: str, **renderers: Any) -> None:
        """Add a way to write formulas."""
        ...


def setup(app: Application) -> None:
    """Add what is ours to Sphinx."""
    # before napoleon, which reads "Args:"
    app.connect("autodoc-process-docstring", escape_docstring, priority=400)
    app.connect("autodoc-process-docstring", restore_colons, priority=600)
    app.connect("autodoc-skip-member", is_filler)
    app.connect("doctree-read", qualify_names)
    app.connect("config-inited", add_made_files)
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(inline, None),
        block_renderers=(displayed, None),
    )


def add_made_files(app: Application, config: Any) -> None:
    """Copy what the build has made for all pages, such as the font of formulas."""
    config.html_static_path.append(str(Path(app.srcdir) / STATIC))


def qualify_names(app: Application, document: Document) -> None:
    """Complete the names in the signatures of a page of the API."""
    if package := package_of(app.env.docname):
        reference = importlib.import_module("sphinx.addnodes").pending_xref
        qualify(document, package, reference)


def escape_docstring(
    app: Application, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Escape in a docstring what Sphinx would take for markup."""
    lines[:] = escaped(lines)
    if what in ("property", "attribute"):
        # napoleon would take the words before a colon for a type
        lines[:1] = [line.replace(":", COLON) for line in lines[:1]]


def restore_colons(
    app: Application, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Put the colons back that were hidden from napoleon."""
    lines[:] = [line.replace(COLON, ":") for line in lines]


def is_filler(
    app: Application, what: str, name: str, value: object, skip: bool, options: object
) -> bool | None:
    """Leave the field of a tuple out: the class tells of it, Python's own text says nothing."""
    text = getattr(value, "__doc__", None) or ""
    return True if text.startswith("Alias for field number") else None
