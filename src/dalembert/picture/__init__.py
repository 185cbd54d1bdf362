"""What a drawing of a machine shows: points, and the parts that join them."""

from dalembert.picture.parts import (
    Area,
    Arrow,
    Disc,
    Ground,
    Label,
    Line,
    Mass,
    Part,
    Pin,
    Rail,
    Spring,
    Support,
)
from dalembert.picture.picture import Picture, Point
from dalembert.picture.placed import Placed
from dalembert.picture.sketch import Sketch

__all__ = [
    "Area",
    "Arrow",
    "Disc",
    "Ground",
    "Label",
    "Line",
    "Mass",
    "Part",
    "Picture",
    "Pin",
    "Placed",
    "Point",
    "Rail",
    "Sketch",
    "Spring",
    "Support",
]
