"""Long functions of C and C++ in sections, and equal limbs at once in C."""
