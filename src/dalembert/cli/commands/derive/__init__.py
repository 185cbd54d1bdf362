"""Commands that derive: equations, proofs, reports."""
