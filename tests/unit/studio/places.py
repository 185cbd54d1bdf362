"""Where parts of a scene stand: each is placed below its parent."""

from typing import Any

import numpy as np

from dalembert.studio.panels.reach import rotation


def pose_in_world(scene: Any, name: str) -> np.ndarray:
    """Return the pose of a part, ``(4, 4)``, by its name such as ``/figure/0/1``."""
    X, known = np.eye(4), scene._handle_from_node_name
    words = name.removeprefix("/").split("/")
    for k in range(1, len(words) + 1):
        part, below = known["/" + "/".join(words[:k])], np.eye(4)
        below[:3, :3], below[:3, 3] = rotation(part.wxyz), part.position
        X = X @ below
    return X
