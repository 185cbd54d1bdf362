"""The choice of a ring: its angles, atoms and generators."""
