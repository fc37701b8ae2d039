"""``python -m urdf2dyn_ros.nodes.effort_comparison`` runs the node."""

import sys

from urdf2dyn_ros.nodes.effort_comparison import main

if __name__ == '__main__':
    sys.exit(main())
