"""Sliders for the coordinates, within their limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.report.about.units import labelled
from dalembert.studio.motion import closed

if TYPE_CHECKING:
    import viser

    from dalembert.studio.state import Moment, State

NOT_CLOSED = "No position of the other joints closes the loops there."
FREE = np.pi
"""Half the range of a slider whose coordinate has no limits."""


class MovePanel:
    """One slider for each coordinate; moving it shows the robot at rest there, loops closed."""

    def __init__(self, gui: viser.GuiApi, state: State, units: Sequence[str]) -> None:
        self.state = state
        configuration = state.model.configuration
        start = state.moment.q.copy()
        with gui.add_folder("Coordinates"):
            self._sliders = [
                self._slider(gui, k, labelled(*pair))
                for k, pair in enumerate(zip(configuration.q_names, units, strict=True))
            ]
        self._said = gui.add_markdown("")
        gui.add_button("Back to the start").on_click(lambda _: state.show(0.0, start))
        state.read_out(self._follow)

    def _slider(self, gui: viser.GuiApi, k: int, name: str) -> Any:
        model, q = self.state.model, self.state.moment.q
        low, high = float(model.configuration.lower[k]), float(model.configuration.upper[k])
        if any(start <= k < start + 4 for start in model.configuration.quaternions):
            low, high = -1.0, 1.0
        low = low if np.isfinite(low) else min(-FREE, q[k] - FREE)
        high = high if np.isfinite(high) else max(FREE, q[k] + FREE)
        initial = float(np.clip(q[k], low, high))
        slider = gui.add_slider(name, low, high, (high - low) / 2000, initial)
        slider.on_update(lambda event: self._moved(k, slider, event.client_id is not None))
        return slider

    def _moved(self, k: int, slider: Any, is_by_hand: bool) -> None:
        if not is_by_hand:
            return
        with self.state.lock:
            model = self.state.model
            q = self.state.moment.q.copy()
            q[k] = slider.value
            q = model.configuration.normalized(q)
            # q and q̇ count alike where all joints are scalar
            keep = k if model.nq == model.nv else None
            found = closed(model, q, keep)
            self._said.content = "" if found is not None else NOT_CLOSED
            self.state.show(0.0, self.state.moment.q if found is None else found)

    def _follow(self, moment: Moment) -> None:
        """Put the sliders where the robot is."""
        for slider, x in zip(self._sliders, moment.q, strict=True):
            # beyond its range a slider stays at its end
            value = float(np.clip(x, slider.min, slider.max))
            # what it cannot show is not sent
            if abs(slider.value - value) > slider.step / 2:
                slider.value = value
