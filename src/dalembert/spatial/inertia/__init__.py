"""Inertias of bodies and solids, their consistency and principal axes."""
