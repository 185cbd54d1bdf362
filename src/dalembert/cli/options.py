"""Arguments and options that several commands take."""

import contextlib
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.allowed import Allowed

IN_PYTHON = {
    "repair=": "--allow repair",
    "accept_nonphysical=": "--allow nonphysical",
    "missing_meshes=": "--allow missing-meshes",
    "massless=": "--allow massless",
    "initial='project'": "--close",
}
"""What remedies in the words of the library are called on the command line."""


def on_the_command_line(remedies: str, known: Collection[str]) -> str:
    """Return which options do what remedies say in Python; nothing where the command has none.

    Args:
        remedies: Sentences of the library.
        known: The options of the command, as in its signature.

    >>> on_the_command_line("give initial='project'", ["close"])
    'on the command line: --close'
    """
    spelled = [option for words, option in IN_PYTHON.items() if words in remedies]
    found = [option for option in spelled if option.split()[0].removeprefix("--") in known]
    return f"on the command line: {', '.join(found)}" if found else ""


def known_files(incomplete: str) -> list[str]:
    """Return what FILE may be completed to: worked examples, and files of known endings here."""
    import os

    from dalembert.cli.find import LAGRANGIAN, examples, needs_count
    from dalembert.mechanism.io.load import FORMATS

    names = [f"{name}:" if needs_count(name) else name for name in examples()]
    folder, start = os.path.split(incomplete)
    with contextlib.suppress(OSError), os.scandir(folder or os.curdir) as entries:
        for entry in entries:
            if entry.is_dir():
                names.append(os.path.join(folder, entry.name, ""))
            elif os.path.splitext(entry.name)[1].lower() in (*FORMATS, LAGRANGIAN):
                names.append(os.path.join(folder, entry.name))
    # hidden folders are completed for those who begin with the dot
    return sorted(x for x in names if x.startswith(incomplete) and (start or not x.startswith(".")))


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        autocompletion=known_files,
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


Allow = Annotated[
    list[Allowed] | None,
    typer.Option(
        "--allow",
        help="repair: what can be repaired, with a note each (URDF, SDF); nonphysical: inertias "
        "that no body has; missing-meshes: of MJCF; massless: links without inertia have none. "
        "May be given often.",
    ),
]
AsWritten = Annotated[
    bool,
    typer.Option(
        "--as-written",
        help="Keep angles such as 1.5708 (URDF, SDF): do not take the π/2 that they stand for.",
    ),
]
