"""The legend of short sines: which angle s₁₂ stands for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dalembert.typeset.render.renderer import Renderer
from dalembert.typeset.render.trig_style import short_index
from dalembert.typeset.tree import Product, TrigLeaf, leaf_tree, leaves

MAX_LISTED = 6


def legend(trees: Iterable[Product], renderer: Renderer) -> list[str]:
    """Return ``s₁ = sin(q₁)`` for the short sines of the trees, or nothing if all are long.

    Of many sines one of each kind is listed: of a coordinate, a sum, a difference, a multiple.
    """
    if not renderer.short:
        return []
    used = {leaf for tree in trees for leaf in leaves(tree) if isinstance(leaf, TrigLeaf)}
    found = sorted(
        (index, leaf.function, leaf)
        for leaf in used
        if leaf.function != "tan" and (index := short_index(leaf)) is not None
    )
    found.sort(key=lambda item: (len(item[0]), item[0], item[1]))
    shown = [leaf for _, _, leaf in found]
    if len(shown) > MAX_LISTED:
        shown = _one_of_each_kind(shown)
    long = type(renderer)(short=False)
    lines = [f"{renderer.render(leaf_tree(x))} = {long.render(leaf_tree(x))}" for x in shown]
    return lines + ["…"] * (len(shown) < len(found))


def _one_of_each_kind(found: Sequence[TrigLeaf]) -> list[TrigLeaf]:
    kinds: dict[tuple, TrigLeaf] = {}
    for leaf in found:
        multiples = [term.coefficient for term in leaf.angle]
        is_single = len(multiples) == 1
        kind = (is_single, min(multiples) < 0, any(abs(k) > 1 for k in multiples))
        kinds.setdefault((*kind, leaf.function if kind == (True, False, False) else ""), leaf)
    return list(kinds.values())
