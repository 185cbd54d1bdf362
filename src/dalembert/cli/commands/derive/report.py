"""`dalembert report`: one page with all that is known about a robot or system."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.options import Allow, AsWritten, File, Values
from dalembert.cli.output import Part
from dalembert.cli.written import check_output


@command
def report(
    file: File,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=".html, .pdf or .md; NAME.html.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="On the page; the name.")] = None,
    time: Annotated[
        float | None, typer.Option("--time", "-t", help="Seconds of the simulation.", min=1e-3)
    ] = None,
    value: Values = None,
    allow: Allow = None,
    as_written: AsWritten = False,
) -> Parts:
    """Write one page: drawing, derivation, equations, proofs, workspace, a motion that plays, C.

    An HTML page needs no network. Parameters without a value are 1, and g is 9.81.
    """
    from dalembert.report import write

    if output is not None:
        check_output(output)
    subject = find(file, allow, value, exact_angles=not as_written)
    yield from subject.noted()
    path = output or Path(f"{_file_name(subject.name)}.html")
    known = {x: subject.values[x] for x in subject.description.parameters if x in subject.values}
    page = write(
        subject.description,
        path,
        title=title or subject.name,
        parameters=known,
        duration=time,
        points=subject.numeric_points(),
        q=subject.q,
        qd=subject.qd,
        progress=sys.stderr.isatty(),
    )
    size = path.stat().st_size
    until = "" if page.is_complete else "; interrupted, with the sections that were ready"
    yield Part("written", str(path), f"wrote {path} ({size:,} bytes){until}", page.is_complete)


def _file_name(name: str) -> str:
    """Return a name that cannot leave this folder and needs no quotes."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in name[:60])
    return plain.strip("-") or "report"
