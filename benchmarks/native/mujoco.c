// MuJoCo's mj_inverse from C, without constraints: kinematics, mass matrix and Newton-Euler; or
// its mj_forward, or the derivatives of mj_inverse, which are forward differences.

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { mjModel * model; mjData * data; double * matrices; } Robot;

void * create(const char * path)
{
  char error[1000] = "";
  Robot * robot = malloc(sizeof(Robot));
  robot->model = mj_loadXML(path, NULL, error, sizeof(error));
  if (!robot->model) {
    fprintf(stderr, "%s\n", error);
    free(robot);
    return NULL;
  }
  robot->model->opt.disableflags |= mjDSBL_CONSTRAINT;
  robot->data = mj_makeData(robot->model);
  robot->matrices = calloc(3 * robot->model->nv * robot->model->nv + 1, sizeof(double));
  return robot;
}

void evaluate(void * self, const double * q, const double * qd, const double * qdd, double * tau,
              long count)
{
  const Robot * robot = self;
  mjData * data = robot->data;
  const int n = robot->model->nv;
  const size_t size = n * sizeof(double);
  for (long k = 0; k < count; ++k, q += n, qd += n, qdd += n, tau += n) {
    memcpy(data->qpos, q, size);
    memcpy(data->qvel, qd, size);
#ifdef FORWARD_DYNAMICS
    memcpy(data->qfrc_applied, qdd, size);   // the third vector are efforts
    mj_forward(robot->model, data);
    memcpy(tau, data->qacc, size);
#else
    memcpy(data->qacc, qdd, size);
    mj_inverse(robot->model, data);
    memcpy(tau, data->qfrc_inverse, size);
#ifdef DERIVATIVES
    mjd_inverseFD(
      robot->model, data, 1e-6, 0, robot->matrices, robot->matrices + n * n,
      robot->matrices + 2 * n * n, NULL, NULL, NULL, NULL);
#endif
#endif
  }
}
