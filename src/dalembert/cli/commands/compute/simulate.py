"""`dalembert simulate`: a motion from a state, with its energy account."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.numbers import vector
from dalembert.cli.options import Allow, Configuration, File, Values
from dalembert.cli.output import Part, Table
from dalembert.cli.written import check_output
from dalembert.model import Model
from dalembert.optional import require

if TYPE_CHECKING:
    from dalembert.control import Controller
    from dalembert.simulation import Trajectory

MOTIONS = (".csv", ".npz", ".parquet")
PLOTS = (".png", ".svg", ".pdf")
ROWS = 11
"""Times that the table on the terminal has."""
COLUMNS = 8


class Law(StrEnum):
    """What drives the joints."""

    none = "none"
    gravity = "gravity"
    pd = "pd"
    computed_torque = "computed_torque"


class OnLimits(StrEnum):
    """What a motion does about the limits of joints."""

    warn = "warn"
    hold = "hold"
    ignore = "ignore"


@command
def simulate(
    file: File,
    time: Annotated[float, typer.Option("--time", "-t", help="Seconds.", min=1e-9)] = 5.0,
    q: Configuration = None,
    qd: Annotated[str | None, typer.Option("--qd", help="Velocities, as --q.")] = None,
    torque: Annotated[
        str | None, typer.Option("--torque", help="Constant torques or inputs, as --q.")
    ] = None,
    law: Annotated[Law, typer.Option("--controller", help="What drives the joints.")] = Law.none,
    goal: Annotated[
        str | None, typer.Option("--goal", help="Where a controller goes, as --q; the start.")
    ] = None,
    stiffness: Annotated[float, typer.Option(help="Of pd, in N m/rad or N/m.", min=0)] = 100.0,
    damping: Annotated[float, typer.Option(help="Of pd, in N m s/rad or N s/m.", min=0)] = 20.0,
    close: Annotated[
        bool, typer.Option("--close", help="Start at the nearest state that closes all loops.")
    ] = False,
    limits: Annotated[
        OnLimits, typer.Option(help="Of joints: warn of those beyond, hold them, or ignore.")
    ] = OnLimits.warn,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help=".csv, .npz, .parquet, or a plot: .png, .svg, .pdf."),
    ] = None,
    value: Values = None,
    allow: Allow = None,
) -> Parts:
    """Simulate a motion; Ctrl-C ends it early and keeps what was computed. Exit 1 if it stopped."""
    from dalembert.simulation import simulate as run

    for path in output or ():
        check_output(path, (*MOTIONS, *PLOTS))
        if path.suffix.lower() == ".parquet":
            require("pyarrow", "files ending .parquet")
    subject = find(file, allow, value)
    model = subject.numeric_model()
    start, rates = subject.start(model)
    names = model.configuration
    q0 = vector(q, names.q_names, start, "--q")
    qd0 = vector(qd, names.v_names, rates, "--qd")
    motion = run(
        model,
        q0,
        qd0,
        time,
        _forces(model, law, vector(goal, names.q_names, q0, "--goal"), stiffness, damping, torque),
        initial="project" if close else "check",
        limits=limits.value,
        progress=sys.stderr.isatty(),
    )
    yield Part("status", motion.status, str(motion), ok=motion.ok)
    yield Part("ok", motion.ok)
    yield _table(motion)
    yield Part("energy_error", motion.energy_error)
    yield Part("final", {"t": motion.t[-1], "q": motion.q[-1], "qd": motion.qd[-1]})
    for path in output or ():
        if path.suffix.lower() in PLOTS:
            motion.plot(path)
        else:
            motion.save(path)
        yield Part(f"written {path}", str(path), f"wrote {path}")


def _forces(
    model: Model, law: Law, goal: list[float], stiffness: float, damping: float, torque: str | None
) -> "list[float] | Controller | None":
    """Return what drives the inputs."""
    from dalembert.errors import EvaluationError

    if law is Law.none:
        names = [str(x) for x in model.symbols.inputs]
        return vector(torque, names, [0.0] * len(names), "--torque") if torque else None
    if torque:
        raise EvaluationError("expected --torque or --controller, got both: drop one")
    from dalembert import control

    match law:
        case Law.gravity:
            return control.GravityCompensation(model)
        case Law.pd:
            return control.PDGravity(model, goal, stiffness=stiffness, damping=damping)
    return control.ComputedTorque(model, goal, stiffness=stiffness, damping=damping)


def _table(motion: "Trajectory") -> Part:
    """Return the motion at some times; all of it is in the files."""
    import numpy as np

    # the stored times nearest to even ones
    even = np.linspace(motion.t[0], motion.t[-1], ROWS)
    rows = np.unique([int(np.abs(motion.t - t).argmin()) for t in even])
    names = motion.q_names[:COLUMNS]
    cells = [[f"{motion.t[k]:.4g}", *(f"{x:.5g}" for x in motion.q[k, :COLUMNS])] for k in rows]
    more = "" if len(names) == len(motion.q_names) else f" (first {COLUMNS} of q)"
    data = {"names": motion.q_names, "t": motion.t[rows], "q": motion.q[rows]}
    return Part("samples", data, Table((f"t / s{more}", *names), cells))
