"""Folding of trigonometric polynomials: c₁c₂ - s₁s₂ becomes c₁₂."""
