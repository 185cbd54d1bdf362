"""Break what is longer than a line: text where brackets are open least, LaTeX between terms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dalembert.typeset.render.latex import LatexRenderer
from dalembert.typeset.render.text import TextRenderer, width
from dalembert.typeset.tree import Product, open_sum

WIDTH = 160
LATEX_WIDTH = 80

_BREAK = re.compile(r" (?=[+\-=] )")


def wrap(text: str, indent: str = "    ", most: int = WIDTH) -> str:
    """Return the text on lines of at most ``most`` columns, broken before + - =.

    >>> print(wrap("a + (b + c) - d", "  ", 9))
    a
      + (b
      + c)
      - d
    """
    lines = []
    while width(text) > most:
        at = _best_break(text, most)
        if at is None:
            break
        lines.append(text[:at])
        text = indent + text[at + 1 :]
    return "\n".join([*lines, text])


def _best_break(text: str, most: int) -> int | None:
    """Return the last place within the line where the fewest brackets are open."""
    found: list[tuple[int, int]] = []
    depth = columns = seen = 0
    for match in _BREAK.finditer(text):
        piece = text[seen : match.start()]
        depth += piece.count("(") - piece.count(")")
        columns += width(piece)
        seen = match.start()
        if columns > most:
            break
        if text[:seen].strip():
            found.append((depth, -seen))
    # a line is filled at least by a third, if it can be
    full = [place for place in found if -place[1] * 3 >= most]
    return -min(full or found)[1] if found else None


def latex_lines(p: Product, renderer: LatexRenderer, most: int = LATEX_WIDTH) -> list[str]:
    """Return the terms of a tree on lines of about ``most`` columns of text."""
    plain = TextRenderer(renderer.short)
    lines: list[list[Product]] = [[]]
    used = 0
    for term in open_sum(p):
        columns = width(plain.render(term)) + 3
        if lines[-1] and used + columns > most:
            lines.append([])
            used = 0
        lines[-1].append(term)
        used += columns
    return [_joined(line, renderer, i > 0) for i, line in enumerate(lines)]


def _joined(terms: Sequence[Product], renderer: LatexRenderer, continues: bool) -> str:
    text = ""
    for term in terms:
        piece = renderer.render(term)
        if not text and not continues:
            text = piece
        else:
            text += f" - {piece[1:]}" if piece.startswith("-") else f" + {piece}"
    return text.strip()
