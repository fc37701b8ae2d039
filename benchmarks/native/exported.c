// The exported C of this package, state by state.

#include "robot_dynamics.h"

#ifndef FUNCTION
#define FUNCTION robot_inverse_dynamics
#endif

void * create(const char * path)
{
  (void)path;
  return (void *)1;   // it has no state
}

void evaluate(void * self, const double * q, const double * qd, const double * qdd, double * tau,
              long count)
{
  (void)self;
  for (long k = 0; k < count; ++k, q += JOINTS, qd += JOINTS, qdd += JOINTS, tau += JOINTS) {
    FUNCTION(q, qd, qdd, tau);
  }
}
