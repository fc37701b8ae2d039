"""The day in operation of `soak.py`: its world, its faults, its report."""
