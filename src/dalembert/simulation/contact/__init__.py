"""Contacts and dry friction: rows as data, and one solver for their forces and impulses."""
