"""What is printed is read back: a statement of the proofs, and a check of documents."""
