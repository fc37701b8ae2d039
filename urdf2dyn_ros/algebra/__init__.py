"""Scalars (numbers or expressions), and vectors, rotations and inertias of scalars."""
