"""Tree algorithms of robot dynamics, each written once over any scalar."""
