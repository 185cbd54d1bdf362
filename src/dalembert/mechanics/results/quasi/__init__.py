"""Equations in quasi-velocities: no multipliers, as many equations as degrees of freedom."""
