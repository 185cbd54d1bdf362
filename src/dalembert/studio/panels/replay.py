"""Play and scrub a motion; simulate one from the state that is shown."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

from dalembert.errors import DalembertError
from dalembert.simulation import simulate

if TYPE_CHECKING:
    import viser

    from dalembert.simulation import Trajectory
    from dalembert.studio.player import Player
    from dalembert.studio.state import Moment, State


class ReplayPanel:
    """Simulate, play, speed, and a slider for the time."""

    def __init__(
        self,
        gui: viser.GuiApi,
        state: State,
        player: Player,
        motion: Trajectory | None,
    ) -> None:
        self.state, self.player = state, player
        self._seconds = gui.add_number("Seconds", 5.0, min=0.1, max=600.0, step=0.1)
        gui.add_button("Simulate from here, nothing drives it").on_click(lambda _: self._simulate())
        self._playing = gui.add_checkbox("Play", False)
        self._speed = gui.add_slider("Speed", 0.1, 4.0, 0.1, 1.0)
        self._time = gui.add_slider("Time / s", 0.0, 1.0, 0.001, 0.0)
        self._said = gui.add_markdown("")
        self._playing.on_update(lambda _: player.pause(not self._playing.value))
        self._speed.on_update(lambda _: setattr(player, "speed", float(self._speed.value)))
        self._time.on_update(lambda event: self._scrub(event.client_id is not None))
        state.read_out(self._follow)
        if motion is not None:
            self.take(motion)

    def take(self, motion: Trajectory) -> None:
        """Play a motion."""
        self._said.content = motion.status.replace("<", "&lt;")
        self._time.max = float(motion.t[-1])
        self.player.play(motion)
        self._playing.value = True

    def _simulate(self) -> None:
        self._said.content = "simulating …"
        Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        moment = self.state.moment
        try:
            motion = simulate(
                self.state.model,
                moment.q,
                moment.qd,
                float(self._seconds.value),
                initial="project",
                limits="hold",
            )
        except DalembertError as error:
            self._said.content = str(error).replace("<", "&lt;")
            return
        if self.state.is_open:
            self.take(motion)

    def _scrub(self, is_by_hand: bool) -> None:
        if is_by_hand and self.player.motion is not None:
            self._playing.value = False
            self.player.pause(True)
            self.player.seek(float(self._time.value))

    def _follow(self, moment: Moment) -> None:
        if self.player.motion is None or self.player.law is not None:
            return
        self._time.value = min(max(moment.t, self._time.min), self._time.max)
