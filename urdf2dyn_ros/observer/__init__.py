"""External efforts from the momentum, and what becomes of them: contacts."""
