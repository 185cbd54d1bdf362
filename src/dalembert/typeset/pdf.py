"""Pages of PDF from Typst source, made by the optional package typst without fonts or network."""

from __future__ import annotations

from dalembert.optional import require
from dalembert.typeset.render.inline import typst_sentence
from dalembert.typeset.render.typst import typst_string

SHRUNK = "scale(100% * (room / own), reflow: true, it)"
"""What becomes of a formula that is wider than the page."""

_HEAD = """#set document(title: {title})
#set page(paper: "a4", margin: 20mm, numbering: "1")
#set text(font: "New Computer Modern", size: 10pt, lang: "en")
#set par(leading: 0.7em)
#set heading(numbering: "1.")
#show heading: set block(above: 1.6em, below: 0.9em)
#set math.mat(row-gap: 0.5em, column-gap: 1em)
#show math.equation.where(block: true): set align(left)
#show math.equation.where(block: true): set block(breakable: true)
// what is wider than the page is made smaller, never cut
#show math.equation.where(block: true): it => layout(page => {{
  let own = measure(it).width
  let room = page.width - 20pt
  pad(left: 20pt, if own > room {{ {shrunk} }} else {{ it }})
}})
#align(center, text(size: 16pt, weight: "bold", {title}))
"""


def typst_page(title: str, blocks: list[str]) -> str:
    """Return the source of an A4 document with a title; ``blocks`` are Typst markup."""
    return "\n\n".join([_HEAD.format(title=typst_string(title), shrunk=SHRUNK), *blocks]) + "\n"


def heading(text: str, level: int = 1) -> str:
    """Return a heading."""
    return f"{'=' * level} {typst_sentence(text)}"


def displayed(lines: list[str]) -> str:
    """Return a formula on lines of its own, the further ones indented."""
    first, *more = lines
    return "$ & " + " \\\n  & quad ".join([first, *more]) + " $"


def introduced(text: str) -> str:
    """Return a sentence that stays on the page of the formula after it."""
    return f"#block(sticky: true)[{typst_sentence(text)}]"


def bullet(text: str) -> str:
    """Return an item of a list; its further lines stand below the first, in small type."""
    first, *more = text.split("\n")
    below = "".join(f" \\\n  #text(size: 9pt)[{typst_sentence(line.strip())}]" for line in more)
    return f"- {typst_sentence(first)}{below}"


def pdf_of(source: str) -> bytes:
    """Return the PDF of a Typst document.

    Raises:
        MissingDependency: the package typst is not installed.
    """
    pages = require("typst", "PDF").compile(source.encode(), format="pdf", ignore_system_fonts=True)
    assert isinstance(pages, bytes)
    return pages
