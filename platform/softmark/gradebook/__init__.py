"""Events become grades: the pure rule, the grid, export."""
