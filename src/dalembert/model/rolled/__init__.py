"""Recursions along long chains as loops in machine code: their code is that of one link."""
