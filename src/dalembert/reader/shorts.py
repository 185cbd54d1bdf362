"""Short sines: c₁₂ is cos(q₁ + q₂), s₁₋₂ is sin(q₁ - q₂), c₁₁ is cos(2 q₁)."""

from __future__ import annotations

from dalembert.expr.graph import Kind
from dalembert.expr.node import ZERO, Expr
from dalembert.expr.symbols import is_kind
from dalembert.reader.names import Word, key_of
from dalembert.reader.vocabulary import Vocabulary


def short_angle(word: Word, vocabulary: Vocabulary) -> Expr | None:
    """Return the angle of a short sine or cosine, None if the word is none.

    The joints are q1, q2, …, or the coordinates of another letter with numbers if it is the only
    one.
    """
    if word.base not in ("s", "c") or not word.digits or word.order or word.below:
        return None
    angle, sign = ZERO, 1
    joints = _joints(vocabulary)
    for digit in word.digits:
        if digit == "-":
            sign = -1
        elif digit not in joints:
            return None
        else:
            angle = angle + sign * joints[digit]
            sign = 1
    return angle if word.digits[-1] != "-" else None


def _joints(vocabulary: Vocabulary) -> dict[str, Expr]:
    """Return the joint coordinates by their digit."""
    families: dict[str, dict[str, Expr]] = {}
    for name, e in vocabulary.exact.items():
        key = key_of(name)
        if is_kind(e, Kind.COORDINATE) and len(key.digits) == 1 and not key.below:
            families.setdefault(key.base, {})[key.digits] = e
    if "q" in families or len(families) != 1:
        return families.get("q", {})
    return next(iter(families.values()))
