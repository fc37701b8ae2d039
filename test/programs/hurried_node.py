"""
The node inverse_dynamics, which logs what is missing ten times as often: tests wait for it.

A program of the node's tests, started in the node's place.

"""

import sys

from urdf2dyn_ros.nodes import inverse_dynamics as missing_data
from urdf2dyn_ros.nodes.inverse_dynamics import main

if __name__ == '__main__':
    missing_data.MISSING_PERIOD /= 10.0
    sys.exit(main())
