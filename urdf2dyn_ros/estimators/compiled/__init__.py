"""The Kalman filters in C: each file of C does what the module of the same name computes."""
