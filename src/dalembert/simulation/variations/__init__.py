"""How a motion changes with its initial state and with parameters."""
