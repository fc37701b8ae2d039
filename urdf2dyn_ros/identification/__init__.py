"""Identification: inertial parameters, rotors and friction of a robot from recordings of it."""
