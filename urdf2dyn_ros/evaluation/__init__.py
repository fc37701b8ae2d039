"""Recordings evaluated offline: efforts, files and a summary."""
