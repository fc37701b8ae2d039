"""The node inverse_dynamics: a file for each of its topics and services, wired in node.py."""

from urdf2dyn_ros.nodes.inverse_dynamics.node import main

__all__ = ['main']
