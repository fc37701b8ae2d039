"""Efforts of a motion without accelerations."""

from urdf2dyn_ros.functions.efforts import Efforts


class Bias(Efforts):
    """Efforts where qdd = 0."""

    INPUTS = ('q', 'qd')
    SUMMARY = ('the efforts tau of a motion without accelerations: Coriolis, centrifugal and '
               'gravity')
    SUMMARY_WITH_LOADS = 'the efforts tau where qdd = 0'
