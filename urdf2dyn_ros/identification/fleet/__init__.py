"""Many recordings: summaries that are merged, and the work of several processes."""
