"""Joints eliminated from M qdd = tau - bias: by factors of M, or by articulated bodies."""
