"""A switch for the forces of contacts, and a sentence where they are not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.studio.scene.contacts import ContactArrows

if TYPE_CHECKING:
    import viser

    from dalembert.studio.state import Moment, State


class ContactsPanel:
    """Arrows while a motion with contacts is played."""

    def __init__(self, gui: viser.GuiApi, state: State, arrows: ContactArrows) -> None:
        self.state, self.arrows = state, arrows
        self._box = gui.add_checkbox("Show contact forces", True)
        self._said = gui.add_markdown("")
        self._box.on_update(lambda _: self._switch())
        state.draw(arrows.show)
        state.read_out(self._follow)

    def _switch(self) -> None:
        self.arrows.is_shown = bool(self._box.value)
        self.arrows.show(self.state.moment)

    def _follow(self, moment: Moment) -> None:
        if self._said.content != self.arrows.said:
            self._said.content = self.arrows.said
