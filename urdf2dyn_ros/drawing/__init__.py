"""Pictures of robots and recordings, drawn by matplotlib without a screen."""
