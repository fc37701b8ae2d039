"""What the command check reports: problems, their effect on the efforts, their remedies."""
