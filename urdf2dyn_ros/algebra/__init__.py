"""Scalars that are numbers or expressions, and vectors, rotations and inertias of them."""
