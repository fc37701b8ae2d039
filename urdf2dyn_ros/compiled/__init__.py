"""Generated functions as machine code, made by the system's C compiler when they are needed."""
