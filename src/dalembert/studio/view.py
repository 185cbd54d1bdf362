"""Open a robot or a system in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import BySymbol, Expr, Scalar, symbol_text
from dalembert.mechanics import System
from dalembert.mechanism import Mechanism
from dalembert.model import Model
from dalembert.optional import require
from dalembert.studio.ghost import add_ghost
from dalembert.studio.motion import closed_start
from dalembert.studio.panels.contacts import ContactsPanel
from dalembert.studio.panels.control import ControlPanel
from dalembert.studio.panels.equations import EquationsPanel
from dalembert.studio.panels.layers import LayersPanel
from dalembert.studio.panels.move import MovePanel
from dalembert.studio.panels.reach import ReachPanel
from dalembert.studio.panels.record import RecordPanel
from dalembert.studio.panels.replay import ReplayPanel
from dalembert.studio.player import Player
from dalembert.studio.record import page
from dalembert.studio.sample import contact_names
from dalembert.studio.scene.contacts import ContactArrows
from dalembert.studio.scene.overlays import Overlays
from dalembert.studio.scene.robot import Robot
from dalembert.studio.scene.stage import set_the_stage
from dalembert.studio.server import Server
from dalembert.studio.shown import Shown, shown
from dalembert.studio.state import State

if TYPE_CHECKING:
    from dalembert.simulation import Trajectory
    from dalembert.types import Array, ArrayLike


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

    @property
    def is_visited(self) -> bool:
        """Whether somebody who knew the address has come."""
        return self._server.gate.visited.is_set()

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


def check_packages() -> None:
    """Say what the studio lacks, before the long work starts.

    Raises:
        MissingDependency: viser or trimesh is not installed.
    """
    for package in ("viser", "trimesh"):
        require(package, "the studio")


def view(
    description: System | Mechanism,
    *,
    parameters: BySymbol[Scalar] | None = None,
    q: ArrayLike | None = None,
    points: Mapping[str, Sequence[Expr]] | None = None,
    motion: Trajectory | None = None,
    ghost: Trajectory | None = None,
    beside: System | Mechanism | None = None,
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
        ghost: Another motion, shown as a shadow: of ``beside``, or of the same robot.
        beside: Another robot or system, shown as a shadow: as its motion says, else with the
            coordinates that have the same names where they are.
        name: What stands above the controls; that of the robot unless given.
        port: Of the address; any free one unless given.

    Raises:
        InvalidMechanism: ``description`` is neither a mechanism nor a system.
        EvaluationError: a parameter has no value, or a value no parameter.
        MissingDependency: viser or trimesh is not installed.
        FileError: the port is taken.
    """
    check_packages()
    given = {
        key if isinstance(key, str) else symbol_text(key): value
        for key, value in (parameters or {}).items()
    }
    main = shown(description, given, points or {})
    other = main if beside is None else shown(beside, given, points or {})
    _check_parameters(given, [main, other])
    model = main.model
    start = _within_limits(model) if q is None else np.array(q, float)
    if motion is not None:
        start = motion.q[0]
    with ExitStack() as opened:
        # closed in the opposite order: nobody speaks to a server that is gone
        server = opened.enter_context(closing(Server(name or model.name, port)))
        state = opened.enter_context(
            closing(State(model, closed_start(model, start), server.picture))
        )
        player = opened.enter_context(closing(Player(state)))
        _fill(server, state, player, main, motion)
        if beside is not None or ghost is not None:
            add_ghost(server.viser.scene, state, other, ghost)
        return Studio(server, state, opened.pop_all())


def _fill(
    server: Server, state: State, player: Player, main: Shown, motion: Trajectory | None
) -> None:
    """Put the figure and the controls into an empty server."""
    scene, gui = server.viser.scene, server.viser.gui
    figure = main.figure(scene, state.moment.q)
    tabs = gui.add_tab_group()
    set_the_stage(server.viser, main.up, figure)
    state.draw(figure.show)
    with tabs.add_tab("Move"):
        MovePanel(gui, state, main.units.positions)
    if isinstance(figure, Robot):
        with tabs.add_tab("Reach"):
            ReachPanel(server.viser, state, main.frames, figure.size)
        with tabs.add_tab("Layers"):
            overlays = Overlays(scene, figure, main.frames[-1])
            LayersPanel(server.viser, state, overlays, main.frames)
    with tabs.add_tab("Equations"):
        EquationsPanel(gui, state, main.equations, main.units.forces)
    with tabs.add_tab("Control"):
        ControlPanel(gui, state, player, main.units.forces)
    with tabs.add_tab("Motion"):
        ReplayPanel(gui, state, player, motion)
        if motion is not None and contact_names(motion):
            ContactsPanel(gui, state, ContactArrows(scene, figure))
        RecordPanel(server.viser, state, player)


def _check_parameters(given: Mapping[str, Scalar], all_shown: Sequence[Shown]) -> None:
    """Check that every parameter of what is shown has a value, and that there are no others."""
    known = set().union(*(x.parameters for x in all_shown))
    missing, unknown = sorted(known - set(given)), sorted(set(given) - known)
    if missing:
        raise EvaluationError(
            f"expected a number for each parameter, got none for {', '.join(missing)}: "
            f"give parameters={{{missing[0]!r}: 1.0, …}}"
        )
    if unknown:
        names = ", ".join(sorted(known)) or "of which there are none"
        raise EvaluationError(
            f"expected parameters of what is shown, {names}, got {', '.join(unknown)}: "
            "leave them out"
        )


def _within_limits(model: Model) -> Array:
    """Return the neutral configuration, in the middle of their limits where joints exclude it."""
    lower, upper, q = model.configuration.lower, model.configuration.upper, model.neutral
    for k in np.flatnonzero((q < lower) | (q > upper)):
        # a bound on one side only is itself the place
        bounds = [x for x in (lower[k], upper[k]) if np.isfinite(x)]
        q[k] = sum(bounds) / len(bounds)
    return q
