"""Measured positions as samples of q, q̇ and q̈ that a regressor can take."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike

ORDER = 4
"""Of the low-pass filter; forwards and backwards it is twice that."""

EVEN = 1e-3
"""By this part of a period the times of samples may differ from even ones."""


class Samples(NamedTuple):
    """Times ``(n,)`` in s, and arrays ``(n, number of joints)``."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array


def filtered(t: ArrayLike, q: ArrayLike, tau: ArrayLike, cutoff: float) -> Samples:
    """Return q, q̇, q̈ and τ from measured positions and torques.

    A low-pass filter runs over q forwards and backwards, so that nothing is late; q̇ and q̈ are
    central differences of what it leaves. What the ends disturb is cut off. The torques stay as
    they were measured: their noise is what the fit is about, and a filter would smear the jumps of
    dry friction.

    Args:
        t: Even times ``(n,)``, in s.
        q: Positions of joints with one coordinate each, ``(n, joints)``, in rad or m.
        tau: Forces of the joints, ``(n, joints)``, in N m or N.
        cutoff: In Hz; well above the fastest part of the motion, well below half the sampling rate.

    Raises:
        EvaluationError: uneven times, too few samples, a cutoff beyond half the sampling rate.

    >>> import numpy as np
    >>> t = np.linspace(0, 10, 5001)
    >>> x = filtered(t, np.sin(t)[:, None], np.cos(t)[:, None], cutoff=10)
    >>> bool(np.abs(x.qdd[:, 0] + np.sin(x.t)).max() < 1e-3)
    True
    """
    from scipy.signal import butter, sosfiltfilt

    t, q, tau = np.asarray(t, float), np.asarray(q, float), np.asarray(tau, float)
    period = _period(t)
    if q.shape != tau.shape or q.shape[:1] != t.shape or q.ndim != 2:
        raise EvaluationError(
            f"expected q and tau of shape ({len(t)}, joints), got {q.shape} and {tau.shape}"
        )
    if not 0 < cutoff < 0.5 / period:
        raise EvaluationError(
            f"expected a cutoff between 0 and {0.5 / period:.4g} Hz, half the sampling rate, "
            f"got {cutoff:g} Hz"
        )
    # three periods of the cutoff feel the ends
    margin = int(np.ceil(3 / (cutoff * period)))
    if len(t) < 4 * margin + 3:
        raise EvaluationError(
            f"expected at least {4 * margin + 3} samples for a cutoff of {cutoff:g} Hz, "
            f"got {len(t)}: measure longer or raise the cutoff"
        )
    sos = butter(ORDER, cutoff, fs=1 / period, output="sos")
    smooth = sosfiltfilt(sos, q, axis=0, padlen=margin)
    qd = np.gradient(smooth, period, axis=0)
    qdd = np.gradient(qd, period, axis=0)
    keep = slice(margin, -margin)
    return Samples(t[keep], smooth[keep], qd[keep], qdd[keep], tau[keep])


def _period(t: Array) -> float:
    if t.ndim != 1 or len(t) < 2:
        raise EvaluationError(f"expected times of shape (n,) with n > 1, got shape {t.shape}")
    period = (t[-1] - t[0]) / (len(t) - 1)
    even = t[0] + period * np.arange(len(t))
    if not period > 0 or not np.abs(t - even).max() <= EVEN * period:
        raise EvaluationError(
            "expected even, growing times, got others: interpolate the samples to even times first"
        )
    return float(period)
