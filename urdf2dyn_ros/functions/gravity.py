"""Efforts of a robot at rest."""

from urdf2dyn_ros.functions.efforts import Efforts


class Gravity(Efforts):
    """Efforts where qd = qdd = 0."""

    INPUTS = ('q',)
    SUMMARY = 'the efforts tau that hold the robot still'
    SUMMARY_WITH_LOADS = 'the efforts tau where qd = qdd = 0'
    SPINS = False
