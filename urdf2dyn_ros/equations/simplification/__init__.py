"""Choices in a robot's description that change no effort, made for fewer operations."""
