"""Joint states in, efforts out, whatever comes."""
