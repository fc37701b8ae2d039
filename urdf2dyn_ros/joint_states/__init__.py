"""From the fields of JointState messages to samples of all joints at one instant."""
