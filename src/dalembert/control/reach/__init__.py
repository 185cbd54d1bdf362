"""What the inputs of a model can do at a state, whatever its joints and constraints."""
