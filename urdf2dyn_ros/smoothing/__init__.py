"""Smoothing of whole recordings, with later samples: positions to velocities, accelerations."""
