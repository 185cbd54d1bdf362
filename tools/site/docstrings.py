"""Docstrings as reStructuredText: names in backticks as code, formulas as they are typed."""

from __future__ import annotations

import re

CODE = re.compile(r"``(?P<double>[^`]+)``|`(?P<single>[^`]+)`")
MARKUP = re.compile(r"([\\*|_`])")


def escaped(lines: list[str]) -> list[str]:
    r"""Return the lines of a docstring so that only backticks and doctests are markup.

    >>> escaped(["|q| is `q_1` of x_*", "", ">>> 2 * x", "4"])
    ['\\|q\\| is ``q_1`` of x\\_\\*', '', '>>> 2 * x', '4']
    """
    found: list[str] = []
    paragraph: list[str] = []
    # a paragraph is one text: code in backticks may go over the end of a line
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
        else:
            found += [*_paragraph(paragraph), line]
            paragraph = []
    return found[:-1]


def _paragraph(lines: list[str]) -> list[str]:
    for number, line in enumerate(lines):
        if line.lstrip().startswith(">>> "):
            above = _paragraph(lines[:number])
            # a doctest is a block of its own
            return [*above, *([""] if above else []), *lines[number:]]
    return _text("\n".join(lines)).split("\n") if lines else []


def _text(text: str) -> str:
    parts: list[str] = []
    end = 0
    for span in CODE.finditer(text):
        parts += [_plain(text[end : span.start()]), f"``{span['double'] or span['single']}``"]
        end = span.end()
    return "".join([*parts, _plain(text[end:])])


def _plain(text: str) -> str:
    return MARKUP.sub(r"\\\1", text)
