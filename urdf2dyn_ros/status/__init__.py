"""The status of a node, and its log of faulty messages."""
