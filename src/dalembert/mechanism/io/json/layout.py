"""What a JSON file of a mechanism may hold: its header, its keys, its limits."""

from __future__ import annotations

from dataclasses import fields

from dalembert.mechanism.mechanism import Coupling, Loop
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.joint import Joint
from dalembert.mechanism.parts.keyframe import Keyframe
from dalembert.mechanism.parts.link import Frame
from dalembert.mechanism.parts.resistance import Resistance

FORMAT = "dalembert mechanism"
VERSION = 1

BUSHING = "bushing"
"""The kind of springs that are bushings; others are told by their ends."""

MAX_BYTES = 64 << 20
MAX_VALUES = 2_000_000
"""Commas, brackets and braces together: they bound what the parsed text takes in memory."""
MAX_DIGITS = 4000
"""Digits of a number; ten times as many as a text of the user may have."""

RESISTANCE = tuple(f.name for f in fields(Resistance))


def _with_resistance(kind: type[Joint] | type[Actuator]) -> frozenset[str]:
    return frozenset({f.name for f in fields(kind)} - {"resistance"} | set(RESISTANCE))


FILE = frozenset(
    [
        "format",
        "version",
        "name",
        "parameters",
        "gravity",
        "links",
        "joints",
        "frames",
        "loops",
        "couplings",
        "actuators",
        "springs",
        "keyframes",
    ]
)
LINK = frozenset(["name", "inertia", "visuals", "collisions"])
SHAPE = frozenset(["geometry", "placement", "colour", "name"])
VECTORS = frozenset(["size", "radii", "scale"])
"""The numbers of geometries that are three each."""
POSE = frozenset(["R", "p"])
KEYFRAME = frozenset(Keyframe._fields)
FRAME = frozenset(Frame._fields)
LOOP = frozenset(Loop._fields)
COUPLING = frozenset({*Coupling._fields, "other", "coefficients", "profile"})
"""The last three are those of files before couplings of several joints."""
ENDS = ("name", "terms", "first", "second")
"""The fields of springs that are no numbers and no laws."""
TWO_JOINTS = ("joint", "other", "ratio")
"""Those of files before springs over several joints."""
JOINT = _with_resistance(Joint)
ACTUATOR = _with_resistance(Actuator)
