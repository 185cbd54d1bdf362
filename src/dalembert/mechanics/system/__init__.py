"""Systems: energies, bodies, loads, constraints, coordinates."""
