"""What an identification writes: files of the robot, figures, and a report."""
