"""Fenced blocks of Markdown pages."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

FENCE = re.compile(r"^ *(?P<ticks>`{3,}|~{3,}) *(?P<info>[^`]*)$")


@dataclass(frozen=True)
class Block:
    """A fenced block: the words after the fence, its text, and the lines around it."""

    info: str
    text: str
    first: int  # number of the first line of the text
    follows: int  # lines of prose between the block before and this one


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a Markdown page.

    >>> blocks("```sh\\n./demo\\n```\\n")
    [Block(info='sh', text='./demo\\n', first=2, follows=0)]
    """
    found: list[Block] = []
    opening: re.Match[str] | None = None
    inside: list[str] = []
    prose = 0
    for number, line in enumerate(page.splitlines(), start=1):
        fence = FENCE.match(line)
        if opening is None:
            if fence:
                opening, inside = fence, []
            else:
                prose += bool(line.strip())
        elif fence and not fence["info"] and fence["ticks"].startswith(opening["ticks"]):
            text = textwrap.dedent("".join(f"{line}\n" for line in inside))
            found.append(Block(opening["info"].strip(), text, number - len(inside), prose))
            opening, prose = None, 0
        else:
            inside.append(line)
    assert opening is None, "a fenced block is not closed"
    return found


def sections(page: str) -> dict[str, str]:
    """Return what stands under each heading of the second level; code is not searched for them.

    >>> sections("# A\\n\\n## B\\nb\\n\\n## C\\nc\\n")
    {'B': '\\nb\\n\\n', 'C': '\\nc\\n'}
    """
    lines = page.splitlines(keepends=True)
    inside = {n for b in blocks(page) for n in range(b.first, b.first + b.text.count("\n") + 1)}
    found: dict[str, str] = {}
    title = None
    for number, line in enumerate(lines, start=1):
        if line.startswith("## ") and number not in inside:
            title = line[3:].strip()
            found[title] = "\n"
        elif title is not None:
            found[title] += line
    return found
