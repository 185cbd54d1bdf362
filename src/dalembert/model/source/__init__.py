"""Generated source code of a model."""
