"""Open a robot or a system in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.expr import (
    BySymbol,
    Expr,
    Kind,
    Scalar,
    as_expr,
    free_symbols,
    is_kind,
    substitute,
    symbol_text,
)
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
from dalembert.studio.scene.points import Points, points_of
from dalembert.studio.scene.robot import Robot
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

    def __init__(self, server: Server, state: State, player: Player) -> None:
        self._server, self.state, self._player = server, state, player

    @property
    def url(self) -> str:
        """The address to open; the token is in it."""
        return self._server.url

    def page(self, motion: Trajectory) -> str:
        """Return a page that plays a motion by itself: no server, no network."""
        return page(self._server.viser, self.state, motion)

    def close(self) -> None:
        """Stop the server."""
        self._player.close()
        self.state.close()
        self._server.close()

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
    given = {_name(key): value for key, value in (parameters or {}).items()}
    values = {x: given[word] for word, x in used.items() if word in given}
    model = compile(description, parameters=values)
    start = _within_limits(model) if q is None else np.array(q, float)
    if motion is not None:
        start = motion.q[0]
    state = State(model, closed(model, start))
    server = Server(name or model.name, port)
    player = Player(state)
    try:
        drawn = _bound_points(description, points or {}, parameters or {})
        _fill(server, state, player, description, drawn, motion, ghost)
    except BaseException:
        Studio(server, state, player).close()
        raise
    return Studio(server, state, player)


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
        _set_the_stage(server, description, figure)
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
    found = points_of(description, points)
    if not found:
        return None
    return Points(scene, model, list(found.values()), q, name=name, opacity=opacity)


def _bound_points(
    description: System | Mechanism,
    points: Mapping[str, Sequence[Expr]],
    values: BySymbol[Scalar],
) -> dict[str, Sequence[Expr]]:
    """Return the points of a system, numbers for its parameters put in."""
    if isinstance(description, Mechanism):
        return {}
    found = points_of(description, points)
    symbols = free_symbols([x for point in found.values() for x in point])
    known = [x for x in symbols if is_kind(x, Kind.PARAMETER)]
    given = {_name(key): value for key, value in values.items()}
    numbers = {x: as_expr(given[name]) for x in known if (name := symbol_text(x)) in given}
    return {name: substitute(list(point), numbers) for name, point in found.items()}


def _name(key: Expr | str) -> str:
    return key if isinstance(key, str) else symbol_text(key)


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


def _set_the_stage(server: Server, description: System | Mechanism, figure: Robot | Points) -> None:
    """Turn the picture so that weight pulls down, and stand where all is seen."""
    size = figure.size
    up = _up(description)
    scene, camera = server.viser.scene, server.viser.initial_camera
    scene.set_up_direction(tuple(up))
    is_flat = abs(up[1]) > 0.9
    # behind a mechanism in the plane, below one in space
    behind = (0.0, 0.0, -size / 4 if is_flat else min(0.0, float(figure.low[2])))
    scene.add_grid(
        "/ground",
        width=4 * size,
        height=4 * size,
        cell_size=size / 5,
        section_size=size,
        plane="yz" if abs(up[0]) > 0.9 else "xy",
        position=behind,
        shadow_opacity=0.2,
    )
    # a mechanism in the plane is looked at from the front
    place = np.array([0.0, 0.2, 1.9]) if is_flat else np.array([1.2, -1.2, 0.9])
    camera.position = tuple(place * size + figure.centre)
    camera.look_at = tuple(figure.centre)


def _up(description: System | Mechanism) -> Array:
    """Return the direction against gravity; y for a system, whose points are in the plane."""
    if not isinstance(description, Mechanism):
        return np.array([0.0, 1.0, 0.0])
    pull = np.array([0.0 if isinstance(x, Expr) else float(x) for x in description.gravity])
    for k, x in enumerate(description.gravity):
        # a symbol such as g is positive, and gravity that points along it is -g
        if isinstance(x, Expr):
            pull[k] = -1.0 if str(x).startswith("-") else 1.0
    length = np.linalg.norm(pull)
    return -pull / length if length else np.array([0.0, 0.0, 1.0])
