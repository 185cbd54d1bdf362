"""From a system to its equations of motion, their solution and their text."""
