"""Commands that compute with a robot or system."""
