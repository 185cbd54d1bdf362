"""Arguments and options that several commands take."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A .urdf, .xml, .sdf, .json or .toml file, or the name of a worked example.",
        show_default=False,
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        "--value", "-p", metavar="NAME=NUMBER", help="A parameter's value; may be given often."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The file to write.", show_default=False),
]
Configuration = Annotated[
    str | None,
    typer.Option(
        "--q",
        metavar="NUMBERS",
        help="Configuration: numbers with commas between, or NAME=NUMBER for some; pi/2 is fine.",
    ),
]


class Allowed(StrEnum):
    """What a file may be read with."""

    repair = "repair"
    nonphysical = "nonphysical"
    missing_meshes = "missing-meshes"


Allow = Annotated[
    list[Allowed] | None,
    typer.Option(
        "--allow",
        help="repair: what can be repaired, with a note each (URDF, SDF); nonphysical: inertias "
        "that no body has; missing-meshes: of MJCF. May be given often.",
    ),
]
