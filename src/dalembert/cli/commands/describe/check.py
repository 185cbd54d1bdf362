"""`dalembert check`: what is wrong with a file, where, and what to do."""

import errno
import os
import re
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from dalembert.cli.allowed import Allowed
from dalembert.cli.command import Parts, command
from dalembert.cli.find import find, load_options
from dalembert.cli.options import Allow, File, on_the_command_line
from dalembert.cli.output import Part, Table, working
from dalembert.errors import DalembertError, FileError
from dalembert.mechanics.kinds import by_kind
from dalembert.mechanism.io.options import UrdfOptions

if TYPE_CHECKING:
    from dalembert.model.engines import Comparison

LINE = re.compile(r"(?P<file>.{0,4096}?):(?P<line>\d{1,9}): (?P<message>.*)", re.DOTALL)
IGNORED = re.compile(r".*\((?:at|\d+ times, first at) line (\d+)\)")


Against = Annotated[
    str | None,
    typer.Option(
        metavar="ENGINES",
        help="Compare link by link with what pinocchio, mujoco or both (with a comma) make of it.",
    ),
]


@command
def check(file: File, allow: Allow = None, against: Against = None) -> Parts:
    """Read a file and list every finding with its line and what to do; exit 1 on errors.

    Warnings and things that are ignored do not make a file wrong. With --against, a place, an
    inertia or a torque that another engine sees in another way does.
    """
    findings = _findings(file, allow or [])
    errors = sum(x["severity"] == "error" for x in findings)
    table = Table(
        ("severity", "where", "finding", "remedy"),
        [(x["severity"], _where(x), _said(x), x["remedy"]) for x in findings],
    )
    yield Part("findings", findings, table if findings else None)
    others = len(findings) - errors
    counts = f"{errors} error{'s' * (errors != 1)}, {others} other finding{'s' * (others != 1)}"
    yield Part("errors", errors, f"{file}: {counts}{_hint(findings)}", ok=not errors)
    if against is not None and not errors:
        yield from _compared(file, allow or [], against)


def _compared(file: str, allow: list[Allowed], against: str) -> Parts:
    """Yield what each engine made of a URDF, in the order in which they are named."""
    from dalembert.mechanism.io.xml.diagnosis import Report
    from dalembert.mechanism.io.xml.source import read_text
    from dalembert.model.engines import compare_with

    if os.path.splitext(file)[1].lower() != ".urdf":
        raise FileError(
            errno.EINVAL, f"expected a .urdf file with --against, got {file[:200]!r}: convert it"
        )
    mechanism = find(file, allow).mechanism
    text = read_text(file, Report(file))
    assert text is not None
    for engine in against.split(","):
        with working(f"reading {file} with {engine}"):
            found = compare_with(engine.strip(), text, mechanism)
        yield Part(engine.strip(), _comparison_data(found), str(found), ok=found.ok)


def _comparison_data(found: "Comparison") -> dict[str, Any]:
    return {
        "ok": found.ok,
        "links": found.links,
        "torques": found.torques,
        "refusal": found.refusal,
        "differences": [vars(x) for x in found.differences],
        "torque": vars(found.torque) if found.torque else None,
    }


def _hint(findings: list[dict[str, Any]]) -> str:
    """Return what the options that remedies name in Python are called here."""
    remedies = " ".join(x["message"] + x["remedy"] for x in findings if x["severity"] == "error")
    hint = on_the_command_line(remedies, ["allow"])
    return f"\n{hint}" if hint else ""


def _findings(file: str, allow: list[Allowed]) -> list[dict[str, Any]]:
    """Return every finding as data, errors first."""
    found: list[dict[str, Any]] = []
    known: set[str] = set()
    if os.path.splitext(file)[1].lower() == ".urdf":
        from dalembert.mechanism.io.urdf.read import diagnose_urdf

        options = load_options(file, [x for x in allow if x is not Allowed.massless])
        diagnoses = diagnose_urdf(file, **cast(UrdfOptions, options))
        found, known = [vars(x) for x in diagnoses], {str(x) for x in diagnoses}
        if any(x["severity"] == "error" for x in found):
            return found
    try:
        subject = find(file, allow)
    except FileError:
        raise
    except DalembertError as error:
        # what is no file has no findings
        if not os.path.isfile(file):
            raise
        return [_finding("error", line, file) for line in str(error).split("\n")]
    notes = by_kind(
        subject.description, "to check", mechanism=lambda x: x.notes, system=lambda _: ()
    )
    return [*found, *(_finding("note", note, file) for note in notes if note not in known)]


def _finding(severity: str, text: str, file: str) -> dict[str, Any]:
    """Return a line of an error, or a note, as data."""
    place = LINE.fullmatch(text)
    ignored = IGNORED.fullmatch(text)
    line = int(place["line"]) if place else int(ignored[1]) if ignored else 0
    message = place["message"] if place else text
    return {
        "severity": severity,
        "file": place["file"] if place else file,
        "line": line,
        "element": "",
        "value": "",
        "message": message,
        "remedy": "",
    }


def _where(x: dict[str, Any]) -> str:
    return f"{x['file']}:{x['line']}" if x["line"] else x["file"]


def _said(x: dict[str, Any]) -> str:
    return f"{x['element']}: {x['message']}" if x["element"] else x["message"]
