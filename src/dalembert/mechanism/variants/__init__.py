"""Mechanisms made from mechanisms: payloads, rotors, elastic joints, symbols."""
