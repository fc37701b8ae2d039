"""Frames, velocities and accelerations of links: the terms of `functions.links`."""
