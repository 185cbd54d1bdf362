"""Limits of joints in motions: who passes them, and the stops that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from dalembert.errors import UnknownName, nearest
from dalembert.simulation.laws.contact import JointStops

if TYPE_CHECKING:
    from dalembert.model.configuration import Configuration
    from dalembert.simulation.laws.base import SwitchingLaw

OnLimits: TypeAlias = Literal["warn", "hold", "ignore"]
"""What a motion does about the limits of joints."""

BEYOND = 1e-9
"""Part of the limits of a joint by which it may exceed one: rounding, and what stops let pass."""

SHOWN = 3
"""Joints that a warning names."""


def checked_limits(limits: str, allowed: Sequence[str] = get_args(OnLimits)) -> None:
    """Raise unless it is one of the words that are allowed."""
    if not isinstance(limits, str) or limits not in allowed:
        raise UnknownName(
            f"expected limits= {', '.join(allowed)}, got {limits!r:.40} "
            f"({nearest(str(limits), allowed)})"
        )


def missing_stops(configuration: Configuration, laws: Sequence[SwitchingLaw]) -> list[JointStops]:
    """Return stops for all joints with limits that have none among the laws."""
    held = _held(configuration, laws)
    bounded = np.isfinite(configuration.lower) | np.isfinite(configuration.upper)
    names = zip(configuration.q_names, bounded, strict=True)
    missing = [name for name, has_limits in names if has_limits and name not in held]
    return [JointStops(joints=tuple(missing))] if missing else []


def passed_limits(
    configuration: Configuration,
    t: np.ndarray,
    q: np.ndarray,
    laws: Sequence[SwitchingLaw] = (),
) -> str:
    """Return a sentence on joints beyond their limits, empty if there are none.

    Args:
        configuration: Whose q it is.
        t: Times, ``(rows,)``.
        q: Positions at these, ``(..., rows, nq)``.
        laws: Whose stops hold joints; compliant ones give way on purpose.
    """
    low, high = configuration.lower, configuration.upper
    ends = np.where(np.isfinite(low), np.abs(low), 0) + np.where(np.isfinite(high), np.abs(high), 0)
    # what is not finite is told of by the status
    with np.errstate(invalid="ignore"):
        beyond = np.where(np.isfinite(q), np.maximum(q - high, low - q), -np.inf)
    rows = beyond.reshape(-1, *q.shape[-2:])
    is_passed = rows > BEYOND * ends
    held = _held(configuration, laws)
    found = []
    for k, name in enumerate(configuration.q_names):
        if name in held or not is_passed[..., k].any():
            continue
        # of the first one: when
        first = int(is_passed[..., k].any(axis=0).argmax())
        sample = int(is_passed[:, first, k].argmax())
        value = q.reshape(rows.shape)[sample, first, k]
        which, bound = ("upper", high[k]) if value > high[k] else ("lower", low[k])
        far, count = rows[..., k].max(), int(is_passed[..., k].any(axis=1).sum())
        of = f" in {count} of {len(rows)} rollouts" if q.ndim > 2 else ""
        found.append(
            f"{name} is beyond its {which} limit {bound:.6g} from t = {t[first]:.6g}{of}, "
            f"by {far:.3g} at most"
        )
    if not found:
        return ""
    more = f"; {len(found) - SHOWN} more joints" if len(found) > SHOWN else ""
    return f"{'; '.join(found[:SHOWN])}{more}"


def _held(configuration: Configuration, laws: Sequence[SwitchingLaw]) -> set[str]:
    stops = [law.joints for law in laws if isinstance(law, JointStops)]
    return {x for joints in stops for x in (configuration.q_names if joints is None else joints)}
