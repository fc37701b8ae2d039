"""Tables of modified Denavit-Hartenberg parameters (Khalil and Kleinfinger): write and read."""
