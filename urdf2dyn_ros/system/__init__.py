"""What is asked of the operating system: files, memory, processes."""
