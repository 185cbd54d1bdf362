"""Reading of untrusted XML: limits, places, numbers, diagnoses."""
