"""Feedback laws with their stability arguments."""
