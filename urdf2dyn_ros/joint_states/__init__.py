"""From the fields of JointState messages to samples: all joints at one stamp."""
