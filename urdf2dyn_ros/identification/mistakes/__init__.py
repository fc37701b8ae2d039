"""Mistakes in recordings: efforts, positions or gravity that are not the URDF's."""
