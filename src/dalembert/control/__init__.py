"""Reference motions and the laws that follow them."""
