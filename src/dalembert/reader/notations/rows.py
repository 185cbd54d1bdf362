"""The lines of a page: what is broken is joined, and ``where`` and ``with`` are taken off."""

from __future__ import annotations

import re
from typing import NamedTuple


class Text(NamedTuple):
    """One statement, with the word that it begins with: where, with or and."""

    head: str
    text: str


class Cells(NamedTuple):
    """The rows of a matrix."""

    rows: list[list[str]]


Line = Text | Cells

_HEAD = re.compile(r"(where|with|  and) ")
_CONTINUED = re.compile(r"\s+[-+=≈] ")
_SIDES = {"⎡": "⎤", "⎢": "⎥", "⎣": "⎦", "[": "]"}
_ELLIPSIS = re.compile(r",\s*…$")


def text_lines(text: str) -> list[Line]:
    """Return the statements of a text.

    >>> text_lines("a + b\\n    + c = 0\\nwhere b = 2")
    [Text(head='', text='a + b + c = 0'), Text(head='where', text='b = 2')]
    """
    found: list[Line] = []
    head = ""
    for line in text.split("\n"):
        # of a matrix with rounded numbers
        line = _ABOUT.sub("", line)
        if line[:1] in _SIDES and line[-1:] == _SIDES[line[:1]]:
            _add_row(found, line)
            continue
        last = found[-1] if found else None
        if isinstance(last, Text) and _CONTINUED.match(line):
            found[-1] = last._replace(text=f"{last.text} {line.strip()}")
            continue
        match = _HEAD.match(line)
        if match is not None:
            head = match[1].strip()
            line = line[match.end() :]
        elif not line.startswith(" "):
            head = ""
        if line.strip():
            found.append(Text(head, line.strip()))
    return [_without_ellipsis(line) for line in found]


def _add_row(found: list[Line], line: str) -> None:
    row = [cell for cell in re.split(r" {2,}", line[1:-1].strip()) if cell]
    begins = line[0] in "⎡["
    if begins or not found or not isinstance(found[-1], Cells):
        found.append(Cells([row] if row else []))
    else:
        found[-1].rows.append(row)


def _without_ellipsis(line: Line) -> Line:
    return line._replace(text=_ELLIPSIS.sub("", line.text)) if isinstance(line, Text) else line


_WRAPPED = re.compile(r"\s*\\begin\{(aligned|align\*?)\}(.*)\\end\{\1\}\s*", re.DOTALL)
_MATRIX = re.compile(r"(.*?)\\begin\{[bp]matrix\}(.*?)\\end\{[bp]matrix\}\s*", re.DOTALL)
_LATEX_HEAD = re.compile(
    r"\\text\{(?P<head>where|with|and) \}|(?P<more>\\phantom\{\\text\{(?:where|with|and) \}\})"
)
_SPACE = re.compile(r"(?:\\q?quad\b|&|\s)+")
_LATEX_CONTINUED = re.compile(r"(?:[-+=]|\\approx) ")
_ABOUT = re.compile(r"(?:≈ |  )(?=[⎡⎢⎣\[].*[⎤⎥⎦\]]$)")
_PACKED = re.compile(r",?\\;\s*")


def latex_lines(latex: str) -> list[Line]:
    """Return the statements of an aligned block, or of one formula."""
    block = _WRAPPED.fullmatch(latex)
    rows = _rows(block[2] if block else latex)
    found: list[Line] = []
    head = ""
    is_more = False
    for row in rows:
        text = _SPACE.sub("", row, count=1) if _SPACE.match(row) else row
        match = _LATEX_HEAD.match(text)
        if match is not None:
            head, is_more = match["head"] or head, match["head"] is None
            text = text[match.end() :]
            text = _SPACE.sub("", text, count=1) if _SPACE.match(text) else text
        matrix = _MATRIX.fullmatch(text.removeprefix(r"\approx "))
        if matrix is not None:
            found.append(Cells(_cells(matrix[2])))
            continue
        last = found[-1] if found else None
        if isinstance(last, Text) and _LATEX_CONTINUED.match(text):
            found[-1] = last._replace(text=f"{last.text} {text}")
            continue
        if match is None and not is_more and head == "where":
            head = ""
        text = _PACKED.sub(", ", text).strip()
        text = re.sub(r",\s*(?:…|\\ldots)$", "", text)
        if text not in ("", "…", r"\ldots"):
            found.append(Text(head, text))
    return found


def _rows(text: str) -> list[str]:
    """Return the rows of a block; those inside a matrix stay in it."""
    rows, depth = [""], 0
    for piece in re.split(r"(\\\\|\\begin\{|\\end\{)", text):
        depth += (piece == r"\begin{") - (piece == r"\end{")
        if piece == r"\\" and not depth:
            rows.append("")
        else:
            rows[-1] += piece
    return rows


def _cells(text: str) -> list[list[str]]:
    return [row.split("&") for row in re.split(r"\\\\", text) if row.strip()]
