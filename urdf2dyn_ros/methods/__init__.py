"""Methods of `InverseDynamics`, by the functions that they run: a new group is a file."""
