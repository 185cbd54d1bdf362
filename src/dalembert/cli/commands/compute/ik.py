"""`dalembert ik`: joint positions that bring a frame to a place."""

import math
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.frames import tip
from dalembert.cli.numbers import vector
from dalembert.cli.options import Allow, Configuration, File, Values
from dalembert.cli.output import Part, Table, working
from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.types import Array


@command
def ik(
    file: File,
    position: Annotated[str, typer.Option("--position", help="x,y,z of the frame, in m.")],
    rpy: Annotated[
        str | None, typer.Option("--rpy", help="Roll, pitch, yaw in rad: R_z(y) R_y(p) R_x(r).")
    ] = None,
    frame: Annotated[str | None, typer.Option(help="A frame or link; that of the tip.")] = None,
    q: Configuration = None,
    tolerance: Annotated[float, typer.Option(help="In m and rad.", min=1e-14)] = 1e-9,
    value: Values = None,
    allow: Allow = None,
) -> Parts:
    """Find joint positions for a place of a frame; exit 1, with the reason, if there are none.

    Without --rpy the frame may turn as it likes. --q says where the search starts.
    """
    import numpy as np

    from dalembert.ik import PositionTask, solve_ik

    subject = find(file, allow, value)
    model = subject.numeric_model()
    frame = frame or tip(subject.mechanism)
    p = vector(position, ("x", "y", "z"), (0, 0, 0), "--position")
    start = None if q is None else vector(q, model.configuration.q_names, model.neutral, "--q")
    with working("searching"):
        if rpy is None:
            found = solve_ik(model, PositionTask(frame, p), start, tolerance=tolerance)
        else:
            pose = np.eye(4)
            pose[:3, :3] = _rotation(*vector(rpy, ("r", "p", "y"), (0, 0, 0), "--rpy"))
            pose[:3, 3] = p
            found = solve_ik(model, pose, start, frame=frame, tolerance=tolerance)
    names = model.configuration.q_names
    rows = [(name, f"{x:.9g}") for name, x in zip(names, found.q, strict=True)]
    yield Part("frame", frame)
    yield Part("status", str(found.status), f"{frame}: {found.status}", ok=bool(found.ok))
    yield Part("q", dict(zip(names, found.q.tolist(), strict=True)), Table(("joint", "q"), rows))
    residual = float(found.residual)
    if not math.isfinite(residual):
        raise EvaluationError(f"expected a finite residual, got {residual}")
    yield Part("residual", residual, f"residual: {residual:.3g}")


def _rotation(r: float, p: float, y: float) -> "Array":
    import numpy as np

    from dalembert.spatial import rotation_x, rotation_y, rotation_z

    turns = rotation_z(y) @ rotation_y(p) @ rotation_x(r)
    return np.array([[float(turns[i, j]) for j in range(3)] for i in range(3)])
