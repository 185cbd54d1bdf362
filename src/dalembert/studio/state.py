"""What is shown at this moment: a state, the inputs, and what follows from them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import DalembertError

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.studio.sample import Sample
    from dalembert.types import Array


class Moment(NamedTuple):
    """One moment of a motion; q ``(nq,)``, the others ``(nv,)``, u the inputs, lam ``(k,)``.

    ``trouble`` is a sentence where constraints do not hold, or where the accelerations are not
    determined; they are zero then.
    ``contacts`` are the names of those that push in a motion, ``others`` ``(nv,)`` the force that
    nothing else explains, which is theirs and that of dry friction; zero outside of a motion.
    """

    t: float
    q: Array
    qd: Array
    u: Array
    qdd: Array
    lam: Array
    others: Array
    contacts: tuple[str, ...] = ()
    trouble: str = ""


LONGEST = 10.0
"""Seconds that closing waits for a thread."""
OPEN = 1e-4
"""Errors of constraints that can be seen."""
PAUSE = 0.1
"""Seconds between two changes of what is read, not looked at."""


class State:
    """The moment that all parts of the studio show; whoever changes it tells all others.

    Pictures follow at once. Tables, plots and sliders follow in a thread of their own, some times
    in a second: a browser that has to write them anew for every picture falls behind.

    Args:
        model: What is shown.
        q: Where it stands at first, ``(nq,)``.
        picture: Opens a context in which all that is drawn belongs together.

    Attributes:
        model: What is shown.
        moment: What is shown of it.
        is_open: Whether the studio is.
    """

    def __init__(
        self,
        model: Model,
        q: Array,
        picture: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.model = model
        self._picture = picture
        self.lock = threading.RLock()
        self._pictures: list[Callable[[Moment], None]] = []
        self._readouts: list[Callable[[Moment], None]] = []
        self._changed = threading.Event()
        self.is_open = True
        self.moment = self._moment(0.0, q, np.zeros(model.nv), self.no_inputs())
        self._thread = threading.Thread(target=self._read_out, daemon=True, name="studio readouts")
        self._thread.start()

    def no_inputs(self) -> Array:
        """Return inputs of zero."""
        return np.zeros(len(self.model.symbols.inputs))

    def draw(self, picture: Callable[[Moment], None]) -> None:
        """Call a function now and whenever the moment changes."""
        self._pictures.append(picture)
        picture(self.moment)

    def read_out(self, readout: Callable[[Moment], None]) -> None:
        """Call a function now and soon after the moment has changed."""
        self._readouts.append(readout)
        readout(self.moment)

    def close(self) -> None:
        """End the thread: from now on nobody is told anything."""
        self.is_open = False
        self._changed.set()
        self._thread.join(LONGEST)

    def show(self, t: float, q: Array, qd: Array | None = None, u: Array | None = None) -> None:
        """Show another moment; at rest and without inputs unless given."""
        with self.lock:
            qd = np.zeros(self.model.nv) if qd is None else qd
            self._tell(self._moment(t, q, qd, self.no_inputs() if u is None else u))

    def _tell(self, moment: Moment) -> None:
        with self.lock:
            self.moment = moment
            if self.is_open:
                with self._picture():
                    for draw in self._pictures:
                        draw(moment)
        self._changed.set()

    def replay(self, t: float, sample: Sample) -> None:
        """Show a moment of a motion with what it knows: accelerations, multipliers, contacts."""
        if not sample.contacts:
            self.show(t, sample.q, sample.qd, sample.u)
            return
        self._tell(self._touching(t, sample))

    def _touching(self, t: float, x: Sample) -> Moment:
        """Return a moment with contacts: what the equations lack is their force."""
        model = self.model
        when = t if model.description.is_timed else None
        left = model.mass_matrix(x.q, t=when) @ x.qdd + model.bias(x.q, x.qd, t=when)
        others = left - model.call("applied_forces", x.q, x.qd, x.u, t=when)
        if model.description.has_constraints:
            others = others - model.constraint_jacobian(x.q, t=when).T @ x.lam
        return Moment(t, x.q, x.qd, x.u, x.qdd, x.lam, np.asarray(others), x.contacts)

    def _read_out(self) -> None:
        while self.is_open:
            self._changed.wait()
            self._changed.clear()
            for readout in self._readouts:
                if self.is_open:
                    readout(self.moment)
            time.sleep(PAUSE)

    def _moment(self, t: float, q: Array, qd: Array, u: Array) -> Moment:
        model = self.model
        when = t if model.description.is_timed else None
        q = np.asarray(q, float)
        count = len(model.description.constraint_names)
        try:
            if count:
                qdd, lam = model.constraint_dynamics(q, qd, u, t=when)
            else:
                qdd, lam = model.forward_dynamics(q, qd, u, t=when), np.zeros(0)
        except (DalembertError, np.linalg.LinAlgError) as error:
            return _still(t, q, qd, u, count, str(error))
        if not (np.isfinite(qdd).all() and np.isfinite(lam).all()):
            trouble = "the equations do not determine the accelerations here"
            return _still(t, q, qd, u, count, trouble)
        gap = float(np.abs(model.constraint_error(q, t=when)).max(initial=0.0)) if count else 0.0
        broken = f"the constraints do not hold here: the largest error is {gap:.3g} (SI units)"
        trouble = broken if gap > OPEN else ""
        return Moment(t, q, qd, u, qdd, lam, np.zeros(model.nv), (), trouble)


def _still(t: float, q: Array, qd: Array, u: Array, count: int, trouble: str) -> Moment:
    none = np.zeros(len(qd))
    return Moment(t, q, qd, u, none, np.zeros(count), none, (), trouble)
