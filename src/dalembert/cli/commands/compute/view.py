"""`dalembert view`: the studio in a browser."""

import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.files.meshes import with_meshes
from dalembert.cli.find import find
from dalembert.cli.numbers import vector
from dalembert.cli.options import Allow, Configuration, File, Values
from dalembert.cli.output import Part, working


@command
def view(
    file: File,
    q: Configuration = None,
    motion: Annotated[
        Path | None, typer.Option(help="A motion of `dalembert simulate` to play.")
    ] = None,
    ghost: Annotated[
        Path | None, typer.Option(help="Another motion, shown as a shadow beside it.")
    ] = None,
    beside: Annotated[
        str | None, typer.Option(help="Another FILE, shown as a shadow; --ghost is its motion.")
    ] = None,
    meshes: Annotated[
        Path | None, typer.Option(help="The folder of the meshes; of ROS, that of the packages.")
    ] = None,
    port: Annotated[int, typer.Option(help="0: any free port.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
    seconds: Annotated[
        float | None, typer.Option(help="Close after this time; else Ctrl-C closes.", min=0)
    ] = None,
    value: Values = None,
    allow: Allow = None,
) -> Parts:
    """Show a robot or system in the browser: move it, drag its tip, simulate, read its equations.

    The page is served on 127.0.0.1 only, to those who know the token in its address.
    """
    from dalembert.simulation import Trajectory
    from dalembert.studio import Launch, check_packages
    from dalembert.studio import view as open_studio

    check_packages()
    subject = find(file, allow, value)
    with working("compiling"):
        model = subject.numeric_model()
        start, _ = subject.start(model)
        q0 = vector(q, model.configuration.q_names, start, "--q")
        played = None if motion is None else Trajectory.load(motion, model)
        other = None if beside is None else find(beside, allow, value)
        ghosted = model if other is None else other.numeric_model()
        shadow = None if ghost is None else Trajectory.load(ghost, ghosted)
        studio = open_studio(
            with_meshes(subject.description, meshes),
            beside=None if other is None else with_meshes(other.description, meshes),
            parameters={**(other.values if other else {}), **subject.values},
            q=q0,
            points=subject.points,
            motion=played,
            ghost=shadow,
            name=subject.name,
            port=port,
        )
    with studio, ExitStack() as opened:
        yield Part("url", studio.url, f"open {studio.url}\nCtrl-C closes the studio")
        if browser:
            opened.enter_context(closing(Launch(studio.url))).open()
        end = None if seconds is None else time.monotonic() + seconds
        try:
            while end is None or time.monotonic() < end:
                time.sleep(0.2)
                if studio.is_visited:
                    # the file that started the browser has done its work
                    opened.close()
        except KeyboardInterrupt:
            # the way to close it is no interruption
            pass
    yield Part("closed", True, "closed")
