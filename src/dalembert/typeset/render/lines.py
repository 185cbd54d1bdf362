"""Break what is longer than a line: text where brackets are open least, formulas between terms."""

from __future__ import annotations

import re

from dalembert.typeset.render.renderer import Renderer
from dalembert.typeset.render.text import TextRenderer, width
from dalembert.typeset.tree import Product, Sum, leaf_tree, open_sum

WIDTH = 160
LATEX_WIDTH = 95

_BREAK = re.compile(r" (?=[+\-=] )")


def wrap(text: str, indent: str = "    ", most: int = WIDTH) -> str:
    """Return the text on lines of at most ``most`` columns, broken before + - =.

    >>> print(wrap("a + b (c + d) + e", "  ", 13))
    a + b (c + d)
      + e
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


def term_lines(p: Product, renderer: Renderer, most: int = LATEX_WIDTH) -> list[str]:
    """Return the terms of a tree on lines of about ``most`` columns of text.

    A term that is longer is broken inside its longest bracket.
    """
    plain = TextRenderer(renderer.short)
    lines = [""]
    used = 0
    for i, term in enumerate(open_sum(p)):
        columns = width(plain.render(term)) + 3
        pieces = _pieces(term, renderer, most) if columns > most else [renderer.render(term)]
        if lines[-1] and used + columns > most:
            lines.append("")
            used = 0
        lines[-1] += renderer.continued(pieces[0]) if i else pieces[0]
        lines += pieces[1:]
        used = used + columns if len(pieces) == 1 else most
    return [line.strip() for line in lines]


def _pieces(term: Product, renderer: Renderer, most: int) -> list[str]:
    """Return a long term as ``factor (first terms``, ``further terms``, ``last terms)``."""
    plain = TextRenderer(renderer.short)
    sums = [x for x in term.factors if isinstance(x.base, Sum)]
    if not sums:
        return [renderer.render(term)]
    longest = max(sums, key=lambda x: len(plain.render(leaf_tree(x.base))))
    others = tuple(x for x in term.factors if x is not longest)
    front = renderer.before_bracket(Product(term.coefficient, others, term.under))
    inside = term_lines(leaf_tree(longest.base), renderer, most - 10)
    inside[0] = f"{front}{renderer.opening}{inside[0]}"
    inside[-1] += f"{renderer.closing}{renderer.raised(longest.exponent)}"
    return [inside[0], *(f"{renderer.space} {line}" for line in inside[1:])]
