"""The expressions behind the functions of a model."""
