"""The frame that a command means when none is named."""

from dalembert.errors import InvalidMechanism
from dalembert.mechanism import Mechanism


def tip(mechanism: Mechanism) -> str:
    """Return the last named frame, or the only link without children.

    Raises:
        InvalidMechanism: there is no frame, and several such links.
    """
    if mechanism.frames:
        return mechanism.frames[-1].name
    parents = {joint.parent for joint in mechanism.joints}
    ends = [link.name for link in mechanism.links if link.name not in parents]
    if len(ends) == 1:
        return ends[0]
    raise InvalidMechanism(
        f"expected --frame, got none, and {mechanism.name} has {len(ends)} ends: "
        f"{', '.join(ends[:8])}{', …' * (len(ends) > 8)}"
    )
