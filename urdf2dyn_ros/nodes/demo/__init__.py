"""The demonstration: nodes as child processes in a DDS domain of this computer."""
