"""The program `dalembert`: its commands and their order in `--help`."""

from typing import Annotated

import typer

from dalembert.cli.commands.analyse import analyse
from dalembert.cli.commands.bench import bench
from dalembert.cli.commands.check import check
from dalembert.cli.commands.codegen import codegen
from dalembert.cli.commands.convert import convert
from dalembert.cli.commands.derive import derive
from dalembert.cli.commands.doctor import doctor
from dalembert.cli.commands.ik import ik
from dalembert.cli.commands.prove import prove
from dalembert.cli.commands.report import report
from dalembert.cli.commands.show import show
from dalembert.cli.commands.simulate import simulate
from dalembert.cli.commands.textbook import textbook
from dalembert.cli.commands.view import view
from dalembert.version import VERSION

PANELS = {
    "Describe": (check, show, convert, textbook),
    "Derive": (derive, prove, report),
    "Compute": (simulate, view, ik, analyse, codegen, bench),
    "This machine": (doctor,),
}
"""The commands below their headings."""

app = typer.Typer(
    name="dalembert",
    help=(
        "Exact equations of motion of robots: derive, prove, compile, simulate.\n\n"
        "FILE is a robot (.urdf, .xml, .sdf, .json), a Lagrangian (.toml), or the name of a worked "
        "example (dalembert textbook lists them)."
    ),
    epilog="Exit status: 0 done, 1 the answer is no, 2 the input cannot be used, 130 Ctrl-C.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for panel, commands in PANELS.items():
    for each in commands:
        app.command(rich_help_panel=panel)(each)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dalembert {VERSION}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    app()
