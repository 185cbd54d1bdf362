"""Expressions at random points of prime fields."""
