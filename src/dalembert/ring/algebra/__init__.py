"""Linear algebra and factorisation over a ring."""
