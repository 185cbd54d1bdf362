"""What the programs of a model must compute, from the equations of motion: never from programs."""
