"""`dalembert identify`: masses, inertias and friction of a robot from measured motions."""

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.files.measurements import Measurements
from dalembert.cli.find import find
from dalembert.cli.options import Allow, File, Output, Values
from dalembert.cli.output import Part, Table, number, working
from dalembert.cli.written import check_output
from dalembert.errors import EvaluationError


@command
def identify(
    file: File,
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA.csv",
            help="Columns t, q:JOINT and tau:JOINT; qd: and qdd: too, or --cutoff.",
            show_default=False,
        ),
    ],
    cutoff: Annotated[
        float | None,
        typer.Option(help="Of the filter that differentiates q, in Hz.", show_default=False),
    ] = None,
    unknown: Annotated[
        list[str] | None,
        typer.Option(
            help="inertia, damping, friction, armature, stiffness, stribeck or J; may be given "
            "often. The first three unless given."
        ),
    ] = None,
    spread: Annotated[
        float, typer.Option(help="How far the description may be off: 1 is 100 %.", min=1e-6)
    ] = 1.0,
    output: Output = None,
    value: Values = None,
    allow: Allow = None,
) -> Parts:
    """Find masses, inertias and friction from measured torques; exit 1 if the data hide some.

    --output writes the robot with the numbers found, as .json, .urdf or .xml.
    """
    from dalembert.identification import filtered
    from dalembert.identification import identify as fit

    if output is not None:
        check_output(output, (".json", ".urdf", ".xml"))
    model = find(file, allow, value).numeric_model()
    measured = Measurements(data)
    q, tau = measured.of("q", model), measured.of("tau", model)
    if cutoff is not None:
        samples = filtered(measured.times(), q, tau, cutoff)
        q, qd, qdd, tau = samples.q, samples.qd, samples.qdd, samples.tau
    elif measured.has("qdd"):
        qd, qdd = measured.of("qd", model), measured.of("qdd", model)
    else:
        raise EvaluationError(
            "expected columns qd:JOINT and qdd:JOINT, or --cutoff to differentiate q, got neither: "
            "add --cutoff 10, well above the fastest part of the motion in Hz"
        )
    kinds = unknown or ["inertia", "damping", "friction"]
    with working("identifying"):
        found = fit(model, q, qd, qdd, tau, unknown=kinds, spread=spread)
    yield Part("status", found.status, found.status, ok=found.ok)
    base = zip(found.base.names, found.base.values, found.base.deviations, strict=True)
    rows = [(name, float(x), number(d)) for name, x, d in base]
    yield Part(
        "base",
        [{"name": n, "value": x, "deviation": d} for n, x, d in rows],
        Table(
            ("base parameter", "value", "±"),
            [(n, f"{x:.5g}", "hidden" if d is None else f"{d:.2g}") for n, x, d in rows],
        ),
    )
    looked_for = [
        (found.labels[k], float(found.given[k]), float(found.theta[k])) for k in found.unknown
    ]
    yield Part(
        "parameters",
        {name: x for name, _, x in looked_for},
        Table(
            ("parameter", "described", "found"),
            [(name, f"{a:.5g}", f"{b:.5g}") for name, a, b in looked_for],
        ),
    )
    left = [*zip(found.rows, found.noise.tolist(), found.residual.tolist(), strict=True)]
    yield Part(
        "residual",
        {name: r for name, _, r in left},
        Table(
            ("joint", "noise", "left by the bodies"),
            [(name, f"{s:.3g}", f"{r:.3g}") for name, s, r in left],
        ),
    )
    if output is not None:
        from dalembert.mechanism.io import save

        save(found.mechanism, output)
        yield Part("written", str(output), f"wrote {output}")
