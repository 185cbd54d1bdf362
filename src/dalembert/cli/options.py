"""Arguments and options that several commands take."""

from pathlib import Path
from typing import Annotated

import typer

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A .urdf, .xml, .json or .toml file, or the name of a worked example.",
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
Repair = Annotated[
    bool, typer.Option("--repair", help="Repair what can be repaired in a URDF, with a note each.")
]
Nonphysical = Annotated[
    bool, typer.Option("--accept-nonphysical", help="Accept inertias that no body has.")
]
