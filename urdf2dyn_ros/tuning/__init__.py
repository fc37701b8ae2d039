"""Parameters of the Kalman filters from a recording: noise, predictions, pictures."""
