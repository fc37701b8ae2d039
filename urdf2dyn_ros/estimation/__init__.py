"""From joint states to efforts."""
