"""What all tests share; where it stands, pytest adds this folder to the path."""
