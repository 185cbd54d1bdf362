"""A mechanism with a load fixed to one of its links."""

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
    link: str,
    *,
    mass: Scalar,
    com: Sequence[Scalar] = (0, 0, 0),
    inertia: Sequence[Scalar] | None = None,
) -> Mechanism:
    """Return the mechanism with a load fixed to a link; mass, com and inertia as in `Link.of`."""
    carrier = mechanism.link(link)
    load = Link.of(link, mass=mass, com=com, inertia=inertia).inertia
    # by itself: beside a heavy link a negative mass would not be noticed
    where = f"the payload of link {link!r}"
    check_inertia(load, where, accept_nonphysical=mechanism.accept_nonphysical)
    loaded = replace(carrier, inertia=carrier.inertia + load, has_inertia=True)
    return replace(mechanism, links=tuple(loaded if x.name == link else x for x in mechanism.links))
