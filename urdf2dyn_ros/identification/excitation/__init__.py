"""Motions from which a robot's parameters can be identified as well as its limits allow."""
