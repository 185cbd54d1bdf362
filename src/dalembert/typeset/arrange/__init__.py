"""Order, grouping and factors of what is printed."""
