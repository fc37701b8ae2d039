"""The node effort_comparison: measured and computed efforts, compared live, and a report."""

from urdf2dyn_ros.nodes.effort_comparison.node import main

__all__ = ['main']
