"""Contacts of shapes: rows that follow from what files say of links."""
