"""Forces of springs, dampers and friction."""
