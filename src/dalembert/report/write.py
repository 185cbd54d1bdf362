"""Write a report: HTML, PDF or Markdown, by the ending of the path."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from dalembert.errors import FileError
from dalembert.expr import BySymbol, Expr, Scalar
from dalembert.files import Path, path_text, write_whole
from dalembert.mechanics import System
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanics.printed.read_back import check_formulas
from dalembert.mechanism import Mechanism
from dalembert.optional import require
from dalembert.report.build import Report, build
from dalembert.report.content import Block, Folded, Formulas
from dalembert.report.writers.html import html
from dalembert.report.writers.markdown import markdown
from dalembert.report.writers.pdf import pdf

if TYPE_CHECKING:
    from dalembert.mechanics.equations.routes.letters import Letters
    from dalembert.types import ArrayLike

WRITERS: dict[str, Callable[[Report], bytes]] = {
    ".html": lambda report: html(report).encode(),
    ".pdf": pdf,
    ".md": lambda report: markdown(report).encode(),
}


def write(
    subject: Mechanism | System,
    path: Path,
    *,
    title: str | None = None,
    parameters: BySymbol[Scalar] | None = None,
    duration: float | None = None,
    points: Mapping[str, Sequence[Expr]] | None = None,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    letters: Letters | None = None,
    progress: bool = True,
) -> Report:
    """Write one page with all that is known about a mechanism or system, and return it as data.

    An HTML page is self-contained: it needs no network, and what a person has named in the
    description cannot run in it. It appears whole or not at all; after Ctrl-C with the sections
    that were ready, and ``is_complete`` of the result is False.

    Args:
        subject: what `da.load`, a builder or `da.System` gave.
        path: ending .html, .pdf (with the package typst) or .md.
        title: on the page; the name of the mechanism unless given.
        parameters: numbers of symbolic parameters for figures, simulation and code, by symbol or
            name; unless given, g is 9.81 and the others are 1 (in loops 1, 1.1, 1.2, …).
        duration: of the simulation, in seconds; 3 unless given, 0.5 for what falls freely.
        points: positions of a system to draw, by name, two or three expressions each, in m; unless
            given, its bodies are drawn, and where it has none a gauge for each coordinate.
        q, qd: where the simulation starts, ``(nq,)`` and ``(nv,)``; unless given, at rest half a
            unit from the neutral configuration.
        letters: of a course, "penn", "savin" or "cmu", or a mapping; see
            `Equations.with_letters`.
        progress: whether a bar on the error stream shows how far it is.

    Raises:
        FileError: another ending, or the file cannot be written.
        MissingDependency: PDF without the package typst.
        EvaluationError: a formula that was printed cannot be read back as itself.

    >>> import dalembert as da, tempfile, pathlib
    >>> place = pathlib.Path(tempfile.mkdtemp(), "arm.md")
    >>> page = da.report.write(da.textbook.rp_arm(), place, title="RP arm", progress=False)
    >>> print(place.read_text(encoding="utf-8").splitlines()[0])
    # RP arm
    """
    ending = PurePath(path_text(path)).suffix.lower()
    if ending not in WRITERS:
        message = f"expected a path ending {', '.join(WRITERS)}, got {ending or 'no ending'!r}"
        raise FileError(errno.EINVAL, f"{message}: choose one of them", path_text(path))
    if ending == ".pdf":
        # said before the long work starts
        require("typst", "PDF")
    report = build(
        subject,
        title=title,
        parameters=parameters,
        duration=duration,
        points=points,
        q=q,
        qd=qd,
        letters=letters,
        progress=progress,
    )
    check_formulas(_formulas([block for x in report.sections for block in x.blocks]))
    write_whole(path, WRITERS[ending](report))
    return report


def _formulas(blocks: Sequence[Block]) -> list[DerivationLine]:
    """Return the formulas of blocks, those that a reader opens too."""
    found: list[DerivationLine] = []
    for block in blocks:
        if isinstance(block, Formulas):
            found += block.lines
        elif isinstance(block, Folded):
            found += _formulas(block.blocks)
    return found
