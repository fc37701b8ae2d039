// The exported derivatives of this package, state by state.

#include "robot_dynamics.h"

void * create(const char * path)
{
  (void)path;
  return (void *)1;   // it has no state
}

void evaluate(void * self, const double * q, const double * qd, const double * qdd, double * tau,
              long count)
{
  static double dtau_dq[JOINTS][JOINTS], dtau_dqd[JOINTS][JOINTS], M[JOINTS][JOINTS];
  (void)self;
  for (long k = 0; k < count; ++k, q += JOINTS, qd += JOINTS, qdd += JOINTS, tau += JOINTS) {
    robot_inverse_dynamics_derivatives(q, qd, qdd, tau, dtau_dq, dtau_dqd, M);
  }
}
