"""
The node inverse_dynamics with a life cycle, which waits for a description for 0.3 s alone.

A program of the node's tests, started in the node's place.

"""

import sys

from urdf2dyn_ros.nodes import inverse_dynamics_lifecycle

if __name__ == '__main__':
    inverse_dynamics_lifecycle.DESCRIPTION_PATIENCE = 0.3
    sys.exit(inverse_dynamics_lifecycle.main())
