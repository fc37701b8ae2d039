"""What the node tells about itself."""
