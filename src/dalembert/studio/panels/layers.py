"""Switches for what is shown over the robot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.studio.scene.overlays import NAMES, Overlays

if TYPE_CHECKING:
    import viser

    from dalembert.studio.state import Moment, State

NOT_DRAWN = (
    "Meshes that are not drawn: {}. Their files were not found (`--meshes FOLDER` says where), or "
    "are neither .stl nor .obj. Links without a shape are drawn as rods."
)


class LayersPanel:
    """A box to tick for each overlay and for shadows, and the frame of the ellipsoids."""

    def __init__(
        self, server: viser.ViserServer, state: State, overlays: Overlays, frames: list[str]
    ) -> None:
        self.state, self.overlays = state, overlays
        gui, scene = server.gui, server.scene
        for name in NAMES:
            if name == "constraint forces" and not state.model.mechanism.loops:
                continue
            box = gui.add_checkbox(f"Show {name}", False)
            box.on_update(lambda _, box=box, name=name: self._switch(name, box))
        self._frame = gui.add_dropdown("Ellipsoids at", frames, initial_value=overlays.frame)
        self._frame.on_update(lambda _: self._move())
        self._said = gui.add_markdown("")
        # slow where the processor draws
        shadows = gui.add_checkbox("Show shadows", True)
        shadows.on_update(lambda _: scene.configure_default_lights(cast_shadow=shadows.value))
        if overlays.robot.num_missing:
            gui.add_markdown(NOT_DRAWN.format(overlays.robot.num_missing))
        state.draw(overlays.show)
        state.read_out(self._follow)

    def _switch(self, name: str, box: Any) -> None:
        (self.overlays.shown.add if box.value else self.overlays.shown.discard)(name)
        self._move()

    def _move(self) -> None:
        self.overlays.frame = self._frame.value
        self.overlays.show(self.state.moment)
        self._follow(self.state.moment)

    def _follow(self, moment: Moment) -> None:
        said = "\n\n".join(self.overlays.said.values())
        if self._said.content != said:
            self._said.content = said
