"""The race of `run.py`: contestants compiled, loaded, compared and timed in turns; its report."""
