"""Equal limbs of a robot computed at once, by statements that each make two numbers."""
