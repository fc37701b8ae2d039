"""Nodes under load, for `load.py`, `exporting.py` and `soak.py`: publishers, phases, reports."""
