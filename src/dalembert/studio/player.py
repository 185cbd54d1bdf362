"""The clock of the studio: plays a motion, or goes on with a live simulation, in a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import DalembertError
from dalembert.studio.motion import STEP, Law, advanced
from dalembert.studio.sample import sample

if TYPE_CHECKING:
    from dalembert.simulation import Trajectory
    from dalembert.studio.state import State

FRAME = 1 / 60
"""Seconds between two pictures."""
CLOSING = 10.0
"""Seconds that closing waits for the thread."""
LONGEST = 0.1
"""Seconds that a live simulation goes on at once: where the machine is slower, time is slower."""


class Player:
    """Moves the state with time while it plays.

    Attributes:
        motion: What is played; None for none.
        law: What drives a live simulation; None where there is none.
        speed: Seconds of the motion in a second.
        on_trouble: Called with a sentence when a live simulation cannot go on.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.motion: Trajectory | None = None
        self.law: Law | None = None
        self.speed = 1.0
        self.on_trouble: Callable[[str], None] = lambda sentence: None
        self._is_playing = False
        self._at = 0.0
        self._wake = threading.Event()
        self._is_open = True
        self._thread = threading.Thread(target=self._run, daemon=True, name="studio player")
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Tell whether something moves."""
        return self._is_playing or self.law is not None

    def play(self, motion: Trajectory) -> None:
        """Play a motion from its start."""
        self.law, self.motion, self._at = None, motion, float(motion.t[0])
        self._is_playing = True
        self._wake.set()

    def pause(self, is_paused: bool) -> None:
        """Stop or go on."""
        self._is_playing = not is_paused and self.motion is not None
        self._wake.set()

    def go_live(self, law: Law | None) -> None:
        """Begin a live simulation from the state that is shown, or end it."""
        self._is_playing, self.law = False, law
        self._wake.set()

    def seek(self, t: float) -> None:
        """Show the motion at a time."""
        if self.motion is None:
            return
        self._at = t
        self.state.replay(t, sample(self.motion, t))

    def close(self) -> None:
        """End the thread."""
        self._is_open, self._is_playing, self.law = False, False, None
        self._wake.set()
        self._thread.join(CLOSING)

    def _run(self) -> None:
        last = due = time.monotonic()
        while self._is_open:
            if not self.is_running:
                self._wake.wait()
                self._wake.clear()
                last = due = time.monotonic()
                continue
            now = time.monotonic()
            self._tick(min(now - last, LONGEST) * self.speed)
            last = now
            # the next picture is due a frame after this one was, however long it slept
            due = max(due + FRAME, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))

    def _tick(self, duration: float) -> None:
        if duration <= 0:
            return
        motion, law = self.motion, self.law
        if law is not None:
            self._go_on(law, duration)
        elif motion is not None:
            end = float(motion.t[-1])
            self._at += duration
            # over and over again
            if self._at > end:
                self._at = float(motion.t[0])
            self.seek(self._at)

    def _go_on(self, law: Law, duration: float) -> None:
        try:
            with np.errstate(over="raise", invalid="raise"):
                t, q, qd = advanced(self.state.model, self.state.moment, duration, law)
                self.state.show(t, q, qd, law(t, q, qd))
        except (DalembertError, ArithmeticError, np.linalg.LinAlgError) as error:
            self.law = None
            self.on_trouble(
                f"stopped: {error}. Live steps are {1000 * STEP:g} ms; what is faster can be "
                "simulated in the tab Motion"
            )
