"""Switches for what is shown over the robot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.studio.scene.overlays import NAMES, Overlays

if TYPE_CHECKING:
    import viser

    from dalembert.studio.state import State


class LayersPanel:
    """A box to tick for each overlay, and the frame of the ellipsoids."""

    def __init__(
        self, gui: viser.GuiApi, state: State, overlays: Overlays, frames: list[str]
    ) -> None:
        self.state, self.overlays = state, overlays
        for name in NAMES:
            if name == "constraint forces" and not state.model.mechanism.loops:
                continue
            box = gui.add_checkbox(f"Show {name}", False)
            box.on_update(lambda _, box=box, name=name: self._switch(name, box))
        self._frame = gui.add_dropdown("Ellipsoids at", frames, initial_value=overlays.frame)
        self._frame.on_update(lambda _: self._move())
        state.draw(overlays.show)

    def _switch(self, name: str, box: Any) -> None:
        (self.overlays.shown.add if box.value else self.overlays.shown.discard)(name)
        self.overlays.show(self.state.moment)

    def _move(self) -> None:
        self.overlays.frame = self._frame.value
        self.overlays.show(self.state.moment)
