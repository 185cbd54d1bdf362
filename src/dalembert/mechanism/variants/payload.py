"""A mechanism with a load fixed to one of its links or frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.mechanism.parts.link import Link
from dalembert.mechanism.physics import check_inertia
from dalembert.types import Scalar

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism


def with_payload(
    mechanism: Mechanism,
    frame: str,
    *,
    mass: Scalar,
    com: Sequence[Scalar] = (0, 0, 0),
    inertia: Sequence[Scalar] | None = None,
) -> Mechanism:
    """Return the mechanism with a load fixed to a link or frame.

    Mass, com and inertia are as in `Link.of`, in the axes of that frame.
    """
    place = mechanism.frame(frame)
    carrier = mechanism.link(place.link)
    load = Link.of(frame, mass=mass, com=com, inertia=inertia).inertia
    # by itself: beside a heavy link a negative mass would not be noticed
    where = f"the payload of {'link' if frame == carrier.name else 'frame'} {frame!r}"
    check_inertia(load, where, accept_nonphysical=mechanism.accept_nonphysical)
    total = carrier.inertia + load.moved(place.placement)
    loaded = replace(carrier, inertia=total, has_inertia=True)
    links = tuple(loaded if x.name == carrier.name else x for x in mechanism.links)
    return replace(mechanism, links=links)
