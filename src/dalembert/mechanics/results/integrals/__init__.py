"""Integrals: antiderivatives, potentials, and what velocity constraints integrate to."""
