"""Open a robot or a system in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.expr import BySymbol, Expr, Scalar, symbol_text
from dalembert.mechanics import System
from dalembert.mechanism import Mechanism
from dalembert.model import Model, compile
from dalembert.studio.motion import closed
from dalembert.studio.panels.control import ControlPanel
from dalembert.studio.panels.equations import EquationsPanel
from dalembert.studio.panels.layers import LayersPanel
from dalembert.studio.panels.move import MovePanel
from dalembert.studio.panels.reach import ReachPanel
from dalembert.studio.panels.record import RecordPanel
from dalembert.studio.panels.replay import ReplayPanel
from dalembert.studio.player import Player, sample
from dalembert.studio.record import page
from dalembert.studio.scene.overlays import Overlays
from dalembert.studio.scene.points import Points, bound_points
from dalembert.studio.scene.robot import Robot
from dalembert.studio.scene.stage import set_the_stage
from dalembert.studio.server import Server
from dalembert.studio.state import Moment, State
from dalembert.studio.terms import EXACT_JOINTS

if TYPE_CHECKING:
    from dalembert.simulation import Trajectory
    from dalembert.types import Array, ArrayLike

GHOST = (150, 150, 160)


class Studio:
    """A robot or system in a browser, until it is closed.

    Attributes:
        url: The address to open; the token is in it.
        state: What is shown.
    """

    def __init__(self, server: Server, state: State, opened: ExitStack) -> None:
        self._server, self.state, self._opened = server, state, opened

    @property
    def url(self) -> str:
        """The address to open; the token is in it."""
        return self._server.url

    def page(self, motion: Trajectory) -> str:
        """Return a page that plays a motion by itself: no server, no network."""
        return page(self._server.viser, self.state, motion)

    def close(self) -> None:
        """Stop the server."""
        self._opened.close()

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def view(
    description: System | Mechanism,
    *,
    parameters: BySymbol[Scalar] | None = None,
    q: ArrayLike | None = None,
    points: Mapping[str, Sequence[Expr]] | None = None,
    motion: Trajectory | None = None,
    ghost: Trajectory | None = None,
    name: str | None = None,
    port: int = 0,
) -> Studio:
    """Show a robot or system in the browser: move it, drag its tip, simulate, read its equations.

    The server listens on 127.0.0.1 only, and asks for the token that is in the address.

    Args:
        description: What to show; a system is shown by its points or its bodies.
        parameters: Values of symbolic parameters, all of them.
        q: Where it stands at first, ``(nq,)``; loops are closed from there.
        points: Positions of a system to draw, by name, two or three expressions each, in m.
        motion: A motion to play.
        ghost: Another one beside it, shown as a shadow, of the same robot.
        name: What stands above the controls; that of the robot unless given.
        port: Of the address; any free one unless given.

    Raises:
        MissingDependency: viser or trimesh is not installed.
        FileError: the port is taken.
    """
    used = {symbol_text(x): x for x in description.parameters}
    given = {
        key if isinstance(key, str) else symbol_text(key): value
        for key, value in (parameters or {}).items()
    }
    values = {x: given[word] for word, x in used.items() if word in given}
    model = compile(description, parameters=values)
    start = _within_limits(model) if q is None else np.array(q, float)
    if motion is not None:
        start = motion.q[0]
    with ExitStack() as opened:
        # closed in the opposite order: nobody speaks to a server that is gone
        server = opened.enter_context(closing(Server(name or model.name, port)))
        state = opened.enter_context(closing(State(model, closed(model, start))))
        player = opened.enter_context(closing(Player(state)))
        drawn = bound_points(description, points or {}, given)
        _fill(server, state, player, description, drawn, motion, ghost)
        return Studio(server, state, opened.pop_all())


def _fill(
    server: Server,
    state: State,
    player: Player,
    description: System | Mechanism,
    points: dict[str, Sequence[Expr]],
    motion: Trajectory | None,
    ghost: Trajectory | None,
) -> None:
    """Put the figure and the controls into an empty server."""
    scene, gui, model = server.viser.scene, server.viser.gui, state.model
    q = state.moment.q
    figure = _figure(scene, model, description, points, q)
    if figure is not None:
        set_the_stage(server.viser, description, figure)
    tabs = gui.add_tab_group()
    if figure is not None:
        state.draw(lambda moment: _atomically(server, figure, moment))
    with tabs.add_tab("Move"):
        MovePanel(gui, state)
    if isinstance(description, Mechanism) and figure is not None:
        frames = [*(x.name for x in description.links), *(x.name for x in description.frames)]
        frames = list(dict.fromkeys(frames))
        with tabs.add_tab("Reach"):
            ReachPanel(server.viser, state, frames, figure.size)
        with tabs.add_tab("Layers"):
            LayersPanel(gui, state, Overlays(scene, model, figure.size, frames[-1]), frames)
    with tabs.add_tab("Equations"):
        is_short = not isinstance(description, Mechanism) or description.nv <= EXACT_JOINTS
        EquationsPanel(gui, state, description.equations if is_short else None)
    with tabs.add_tab("Control"):
        ControlPanel(gui, state, player)
    with tabs.add_tab("Motion"):
        shadow = _figure(scene, model, description, points, q, ghost=True) if ghost else None
        if shadow is not None and ghost is not None:
            state.draw(lambda moment: shadow.show(_moment_of(ghost, moment)))
        ReplayPanel(gui, state, player, motion)
        RecordPanel(server.viser, state, player)


def _figure(
    scene: Any,
    model: Model,
    description: System | Mechanism,
    points: dict[str, Sequence[Expr]],
    q: Array,
    ghost: bool = False,
) -> Robot | Points | None:
    opacity = 0.3 if ghost else None
    name = "/ghost" if ghost else "/figure"
    if isinstance(description, Mechanism):
        tint = GHOST if ghost else None
        return Robot(scene, model, q, name=name, opacity=opacity, tint=tint)
    if not points:
        return None
    return Points(scene, model, list(points.values()), q, name=name, opacity=opacity)


def _atomically(server: Server, figure: Robot | Points, moment: Moment) -> None:
    """Move all parts of a figure in one picture."""
    with server.viser.atomic():
        figure.show(moment)


def _moment_of(motion: Trajectory, moment: Moment) -> Moment:
    """Return what another motion shows at the same time."""
    q, qd, _ = sample(motion, moment.t)
    return moment._replace(q=q, qd=qd)


def _within_limits(model: Model) -> Array:
    """Return the neutral configuration, in the middle of their limits where joints exclude it."""
    lower, upper, q = model.configuration.lower, model.configuration.upper, model.neutral
    for k in np.flatnonzero((q < lower) | (q > upper)):
        # a bound on one side only is itself the place
        bounds = [x for x in (lower[k], upper[k]) if np.isfinite(x)]
        q[k] = sum(bounds) / len(bounds)
    return q
