"""Recordings with a payload: an additional body of the fit, and what is known of it."""
