"""Equations in quasi-velocities: no multipliers, as many equations as degrees of freedom."""

from dalembert.mechanics.results.quasi.form import QuasiForm

__all__ = ["QuasiForm"]
