"""Live simulation: choose what drives the joints, change the gains, and watch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert import control
from dalembert.errors import DalembertError
from dalembert.report.about.units import labelled
from dalembert.studio.motion import scaled_gains

if TYPE_CHECKING:
    import viser

    from dalembert.studio.motion import Law
    from dalembert.studio.player import Player
    from dalembert.studio.state import Moment, State
    from dalembert.types import Array

NOTHING, GRAVITY, PD, COMPUTED = (
    "nothing",
    "gravity compensation",
    "PD + gravity",
    "computed torque",
)
ENERGY_POINTS = 300
STYLE = "font-size:12px;width:100%;padding:0 8px"


class ControlPanel:
    """Start and stop, controller, gains, goal; the energy and the torques while it runs."""

    def __init__(
        self, gui: viser.GuiApi, state: State, player: Player, units: Sequence[str]
    ) -> None:
        self.state, self.player, self._units = state, player, units
        self._goal = state.moment.q.copy()
        self._live = gui.add_checkbox("Simulate live", False)
        self._law = gui.add_dropdown("Driven by", self._laws(), initial_value=NOTHING)
        self._stiffness = gui.add_slider("Stiffness / s⁻²", 0.0, 500.0, 1.0, 100.0)
        self._damping = gui.add_slider("Damping / s⁻¹", 0.0, 100.0, 0.5, 20.0)
        gui.add_button("The robot as it stands is the goal").on_click(lambda _: self._set_goal())
        self._said = gui.add_markdown("")
        self._torques = gui.add_html("")
        self._energy: list[tuple[float, ...]] = []
        self._plot = self._energy_plot(gui)
        player.on_trouble = self._stop
        for handle in (self._live, self._law, self._stiffness, self._damping):
            handle.on_update(lambda _: self._change())
        state.read_out(self._follow)

    def _laws(self) -> list[str]:
        """Return what can drive this model: laws on all joints need an input on each."""
        model = self.state.model
        if model.description.has_constraints or len(model.symbols.inputs) != model.nv:
            return [NOTHING]
        return [NOTHING, GRAVITY, PD, COMPUTED]

    def _set_goal(self) -> None:
        self._goal = self.state.moment.q.copy()
        self._change()

    def _change(self) -> None:
        """Begin, end, or go on with another law."""
        if not self._live.value:
            self.player.go_live(None)
            return
        try:
            self.player.go_live(self._chosen())
            self._said.content = ""
        except DalembertError as error:
            self._stop(str(error))

    def _chosen(self) -> Law:
        model, goal, law = self.state.model, self._goal, self._law.value
        if law == NOTHING:
            nothing = self.state.no_inputs()
            return lambda t, q, v: nothing
        # a controller wants positive gains
        k, d = (max(float(x.value), 1e-6) for x in (self._stiffness, self._damping))
        if law == COMPUTED:
            return control.ComputedTorque(model, goal, stiffness=k, damping=d)
        gains = scaled_gains(model, goal, k, d)
        if law == GRAVITY:
            return control.GravityCompensation(model, damping=gains.damping)
        return control.PDGravity(model, goal, stiffness=gains.stiffness, damping=gains.damping)

    def _stop(self, sentence: str) -> None:
        self._said.content = sentence.replace("<", "&lt;")
        self._live.value = False

    # ---- what is shown

    def _energy_plot(self, gui: viser.GuiApi) -> viser.GuiUplotHandle:
        empty = np.zeros(2)
        series = [
            {"label": "t"},
            {"label": "kinetic", "stroke": "#c44e52", "width": 2},
            {"label": "potential", "stroke": "#4c72b0", "width": 2},
            {"label": "both", "stroke": "#55a868", "width": 2},
        ]
        return gui.add_uplot(
            (empty, empty, empty, empty),
            tuple(series),  # type: ignore[arg-type]
            title="Energy / J",
            scales={"x": {"time": False}},
            aspect=2.0,
        )

    def _follow(self, moment: Moment) -> None:
        names = self.state.model.configuration.v_names
        labels = [labelled(*pair) for pair in zip(names, self._units, strict=True)]
        self._torques.content = torque_bars(labels, moment.u, self._limits(len(moment.u)))
        self._record_energy(moment)

    def _limits(self, count: int) -> Array:
        effort = np.asarray(self.state.model.configuration.effort)
        return effort if len(effort) == count else np.full(count, np.inf)

    def _record_energy(self, moment: Moment) -> None:
        model = self.state.model
        if not model.description.has_energies:
            return
        if self._energy and moment.t <= self._energy[-1][0]:
            self._energy.clear()
        when = moment.t if model.description.is_timed else None
        kinetic = float(model.kinetic_energy(moment.q, moment.qd, t=when))
        potential = float(model.potential_energy(moment.q, t=when))
        self._energy.append((moment.t, kinetic, potential, kinetic + potential))
        del self._energy[:-ENERGY_POINTS]
        if len(self._energy) > 1:
            self._plot.data = tuple(np.array(self._energy).T)


def torque_bars(names: Sequence[str], u: Array, limits: Array) -> str:
    """Return a bar for each input: of its bound where it has one, else of the largest now."""
    from html import escape

    largest = max(float(np.abs(u).max(initial=0.0)), 1e-9)
    rows = []
    for k, given in enumerate(u):
        # rounding is no force
        x = given if abs(given) > 1e-12 * largest else 0.0
        bound = limits[k] if np.isfinite(limits[k]) else largest
        width = min(100.0, 100 * abs(x) / bound) if bound > 0 else 100.0
        colour = "#c44e52" if np.isfinite(limits[k]) and abs(x) > limits[k] else "#4c72b0"
        name = names[k] if k < len(names) and len(u) == len(names) else f"input {k + 1}"
        rows.append(
            f"<tr><td>{escape(name)}</td><td style='text-align:right'>{x:.3g}</td>"
            f"<td style='width:110px'><div style='height:8px;width:{width:.0f}px;"
            f"background:{colour}'></div></td></tr>"
        )
    title = "<tr><th colspan='3' style='text-align:left'>Forces of the inputs</th></tr>"
    return f"<table style='{STYLE}'>{title}{''.join(rows)}</table>" if rows else ""
