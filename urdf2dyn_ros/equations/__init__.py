"""The equations of robots, written once for any scalar."""
