"""
The ROS nodes, and all of this package that imports rclpy.

``nodes/X`` is the ROS side of ``X``: it declares topics, services, timers and parameters, and
converts messages to plain values. The computation with these values is in ``urdf2dyn_ros/X``,
which runs without ROS. Each node is a module here; other modules serve several nodes.
"""
