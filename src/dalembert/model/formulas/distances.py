"""The formula of distances between collision shapes, with nearest points and Jacobians."""

from __future__ import annotations

from dalembert.model.distances.pairs import ShapePair
from dalembert.model.distances.solids import closest
from dalembert.model.formulas.formula import Formula, function
from dalembert.model.formulas.rows import dot as sum_of_products
from dalembert.model.formulas.tree import Rows, TreeFormulas
from dalembert.recursions import kinematics

OUTPUTS = ("distance", "first", "second", "normal", "jacobian")


class DistanceFormulas(TreeFormulas):
    """Distances of shapes on the tree as it was described."""

    @function
    def distances(self, *, pairs: tuple[ShapePair, ...]) -> Formula:
        """d of every pair, the nearest points, the normal, and ∂d/∂q along velocities."""
        X_W = kinematics.forward_kinematics(self.tree, self.q)
        links = {link.name: link for link in self._mechanism.links}
        found: dict[str, Rows] = {name: [] for name in OUTPUTS}
        for pair in pairs:
            ends = ((pair.first, pair.first_shape), (pair.second, pair.second_shape))
            shapes = [links[name].collisions[k] for name, k in ends]
            poses = [
                X_W[self.tree.numbers[name]] @ shape.placement
                for (name, _), shape in zip(ends, shapes, strict=True)
            ]
            where = f"{pair.first} and {pair.second}"
            d, first, second, n = closest(
                shapes[0].geometry, poses[0], shapes[1].geometry, poses[1], where
            )
            # ḋ = nᵀ (ṗ₂ - ṗ₁), of the points that move with the links
            columns = [
                kinematics.point_columns(self.tree, X_W, name, point)
                for (name, _), point in zip(ends, (first, second), strict=True)
            ]
            slopes = [
                sum_of_products(n, b[0]) - sum_of_products(n, a[0])
                for a, b in zip(*columns, strict=True)
            ]
            for name, value in zip(OUTPUTS, (d, [*first], [*second], [*n], slopes), strict=True):
                found[name].append(value)  # type: ignore[attr-defined]
        return Formula(self._q(), found)
