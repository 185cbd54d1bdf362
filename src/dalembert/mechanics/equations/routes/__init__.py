"""Steps of derivations that look at single bodies, and D'Alembert's route to the equations."""
