"""External efforts from the momentum, and the contacts that they show."""
