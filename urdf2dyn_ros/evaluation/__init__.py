"""Recordings evaluated offline: joints by name, efforts, files, and what is said of them."""
