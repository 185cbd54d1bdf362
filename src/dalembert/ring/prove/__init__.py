"""Proofs that an expression is zero, beyond what the relations of a ring show."""
