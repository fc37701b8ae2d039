// Runs a library's evaluate once for a file of states, for valgrind to count instructions.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void * Create(const char *);
typedef void Evaluate(void *, const double *, const double *, const double *, double *, long);

int main(int count, char ** arguments)
{
  if (count != 6) {
    fprintf(stderr, "usage: count LIBRARY ROBOT STATES JOINTS NUMBER\n");
    return 2;
  }
  void * library = dlopen(arguments[1], RTLD_NOW);
  FILE * file = fopen(arguments[3], "rb");
  if (!library || !file) {
    fprintf(stderr, "%s\n", library ? "no states" : dlerror());
    return 1;
  }
  const long number = atol(arguments[5]);
  const size_t size = atol(arguments[4]) * number;
  double * states = malloc(4 * size * sizeof(double));
  if (fread(states, sizeof(double), 3 * size, file) != 3 * size) {
    return 1;
  }
  void * robot = ((Create *)dlsym(library, "create"))(arguments[2]);
  ((Evaluate *)dlsym(library, "evaluate"))(
    robot, states, states + size, states + 2 * size, states + 3 * size, number);
  return 0;
}
