"""Functions about links: where they are and how they move."""
