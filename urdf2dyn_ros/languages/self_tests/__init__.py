"""The part of each language that checks what the file computes, and prints it."""
