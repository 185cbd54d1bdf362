"""The program `dalembert`: its commands, each of which loads when it is called."""

import sys
from contextlib import suppress
from importlib import import_module
from inspect import getdoc
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from dalembert.cli.streams import cannot_print, drop_unprinted, open_streams
from dalembert.errors import nearest
from dalembert.version import VERSION

PANELS = {
    "Describe": {
        "check": (
            "Read a file and list every finding with its line and what to do; exit 1 on errors."
        ),
        "show": "Show the tree of links, the joints with their limits, and the parameters.",
        "convert": "Write a robot in another format; what is lost needs --drop and is listed.",
        "textbook": "List the worked examples, or derive and prove one of them step by step.",
    },
    "Derive": {
        "derive": "Derive the equations of motion by Lagrange's method, exactly.",
        "prove": (
            "Prove the properties of the equations of motion; exit 1 if one is refuted or "
            "undecided."
        ),
        "certify": (
            "Write the equations with proofs that anyone can check: `python check.py claims.json`."
        ),
        "report": (
            "Write one page: drawing, derivation, equations, proofs, workspace, a motion "
            "that plays, C."
        ),
    },
    "Compute": {
        "simulate": (
            "Simulate a motion; Ctrl-C ends it early and keeps what was computed. Exit 1 "
            "if it stopped."
        ),
        "sweep": (
            "Compute a study over many rows, or what is missing of it; exit 1 if all rows failed."
        ),
        "view": (
            "Show a robot or system in the browser: move it, drag its tip, simulate, read "
            "its equations."
        ),
        "ik": (
            "Find joint positions for a place of a frame; exit 1, with the reason, if "
            "there are none."
        ),
        "identify": (
            "Find masses, inertias and friction from measured torques; exit 1 if the data hide "
            "some."
        ),
        "analyse": (
            "Say what a robot or system can do: each result when it is ready, or why there is none."
        ),
        "codegen": (
            "Write source code of the dynamics: the same programs that are compiled and proved."
        ),
        "bench": (
            "Time the dynamics of a robot or system: compiling, one state, and a batch of states."
        ),
    },
    "This machine": {
        "doctor": (
            "Show versions, backends that work here, and the cache; exit 1 if something "
            "needed fails."
        ),
    },
}
"""The commands below their headings, with the first sentence of their own help."""


AS_JSON = "dalembert.json"
UsageError: Any = typer.BadParameter.__base__
"""Wrong options; typer has it from click, or from its own copy of it."""


class Commands(TyperGroup):
    """The commands, as names and sentences until one is called: `--help` loads none of them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {
            name: TyperCommand(name, help=sentence, rich_help_panel=panel)
            for panel, commands in PANELS.items()
            for name, sentence in commands.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Load the command that is called, or completed."""
        name = args[0] if args else ""
        if name not in self.commands and not name.startswith("-"):
            ctx.fail(f"No such command {name!r} ({nearest(name, self.commands)}).")
        if name in self.commands and self.commands[name].callback is None:
            self.commands[name] = _loaded(name)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Keep in mind whether JSON is asked for."""
        ctx.meta[AS_JSON] = "--json" in args
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what is wrong with its options is JSON too where that is asked for."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            if not ctx.meta[AS_JSON]:
                raise
            from dalembert.cli.output import show_json

            show_json({"error": f"error: {error.format_message()}"})
            raise typer.Exit(error.exit_code) from None


def module_of(name: str) -> str:
    """Return the module of a command, in the folder of its heading.

    >>> module_of("doctor")
    'dalembert.cli.commands.machine.doctor'
    """
    panel = next(panel for panel, commands in PANELS.items() if name in commands)
    return f"dalembert.cli.commands.{panel.split()[-1].lower()}.{name}"


def _loaded(name: str) -> Any:
    """Return a command with its options."""
    function = getattr(import_module(module_of(name)), name)
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    # python -OO leaves no docstring
    sentence = next(commands[name] for commands in PANELS.values() if name in commands)
    alone.command(name, help=getdoc(function) or sentence)(function)
    return typer.main.get_command(alone)


app = typer.Typer(
    name="dalembert",
    cls=Commands,
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
    open_streams()
    try:
        app()
    except OSError as error:
        # commands answer for the files that they read and write: here it is the output itself
        with suppress(OSError):
            print(f"error: {cannot_print(error)}", file=sys.stderr)
        sys.exit(2)
    finally:
        drop_unprinted()
