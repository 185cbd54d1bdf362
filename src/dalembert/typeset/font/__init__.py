"""The font of formulas on pages: a subset of STIX Two Math, with its licence in `OFL.txt`."""
