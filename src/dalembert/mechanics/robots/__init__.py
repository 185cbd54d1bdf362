"""What mechanisms add: their equations, proofs, screws, base parameters, singularities."""
