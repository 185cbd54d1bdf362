"""What a report consists of: sections of blocks, which every writer knows how to write."""

from __future__ import annotations

from dataclasses import dataclass, field

from dalembert.expr import Scalar
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.picture import Placed
from dalembert.picture.svg import svg


@dataclass(frozen=True)
class Text:
    """A paragraph; formulas in it are Unicode."""

    words: str


@dataclass(frozen=True)
class Formulas:
    """Formulas below each other, with LaTeX to copy."""

    lines: tuple[DerivationLine, ...]


@dataclass(frozen=True)
class Remarks:
    """A list; further lines of an item stand below its first."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows of words below a head; ``caption`` says what they are."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Figure:
    """A drawing as SVG, and what it shows in words, for those who do not see it."""

    svg: str
    caption: str


@dataclass(frozen=True, eq=False)
class Animation:
    """A machine that moves; on paper it stands where the motion begins.

    Attributes:
        placed: Its picture along the motion.
        caption: What it shows in words.
        tip: The number of the point whose path is drawn; none if negative.
    """

    placed: Placed
    caption: str
    tip: int = -1

    @property
    def still(self) -> Figure:
        """The first moment."""
        return Figure(svg(self.placed, self.caption), self.caption)


@dataclass(frozen=True)
class Code:
    """The text of a program."""

    caption: str
    language: str
    text: str


@dataclass(frozen=True)
class Folded:
    """Blocks that a reader opens; a page on paper shows them."""

    title: str
    blocks: tuple[Block, ...]


Block = Text | Formulas | Remarks | Table | Figure | Animation | Code | Folded


@dataclass(frozen=True)
class Section:
    """A heading with its blocks."""

    title: str
    blocks: list[Block] = field(default_factory=list)


def short(value: Scalar) -> str:
    """Return a number as a table shows it.

    >>> short(0.1234567)
    '0.12346'
    """
    return f"{float(value):.5g}"  # type: ignore[arg-type]
