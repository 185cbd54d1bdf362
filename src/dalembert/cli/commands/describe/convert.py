"""`dalembert convert`: the same robot in another format, with what is lost."""

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.options import Allow, File, Values
from dalembert.cli.output import Part
from dalembert.mechanism.io import save


@command
def convert(
    file: File,
    output: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help=".urdf, .xml (MJCF), .sdf or .json.")
    ],
    drop: Annotated[
        bool, typer.Option("--drop", help="Leave out what the format cannot say, with a note each.")
    ] = False,
    value: Values = None,
    allow: Allow = None,
) -> Parts:
    """Write a robot in another format; what is lost needs --drop and is listed."""
    subject = find(file, allow, value)
    mechanism = subject.mechanism
    if subject.values:
        mechanism = mechanism.bind(dict(subject.values))
    lost = [*save(mechanism, output, drop=drop)]
    yield Part("written", str(output), f"wrote {output}")
    yield Part("lost", lost, "\n".join(lost) if lost else "nothing is lost")
    yield Part("notes", list(mechanism.notes), "\n".join(mechanism.notes) or None)
