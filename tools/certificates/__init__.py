"""Certificates of all worked examples: made, attacked, compiled by Coq, and listed in the docs."""
