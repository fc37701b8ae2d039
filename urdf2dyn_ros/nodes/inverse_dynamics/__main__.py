"""``python -m urdf2dyn_ros.nodes.inverse_dynamics`` runs the node."""

import sys

from urdf2dyn_ros.nodes.inverse_dynamics import main

if __name__ == '__main__':
    sys.exit(main())
