"""Forward dynamics, derived in two ways: by factors of the mass matrix, by articulated bodies."""
