"""What a file may be read with."""

from enum import StrEnum


class Allowed(StrEnum):
    """What a file may be read with."""

    repair = "repair"
    nonphysical = "nonphysical"
    missing_meshes = "missing-meshes"
    massless = "massless"
