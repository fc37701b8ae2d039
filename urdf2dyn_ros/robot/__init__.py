"""From a robot's description to its bodies, joints and loads."""
