"""Parameters of the Kalman filters from a recording: noise, likelihood, pictures."""
