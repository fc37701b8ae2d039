"""Messages become pairs of one stamp, the rows that are kept of them, and their sums."""
