"""Keeping constraints closed along a motion."""
