"""Paths of the repository, its tests, and the recordings next to it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEST = ROOT / 'test'
RECORDINGS = ROOT.parent / 'shared' / 'data'
"""Recordings of real robots; tests that need one are skipped where it is missing."""

UR10 = RECORDINGS / 'ur10_exciting_trajectory' / 'ur10_exciting_trajectory.db3'
"""The recording of a real UR10; tests that need it are skipped where it is missing."""
