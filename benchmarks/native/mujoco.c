// MuJoCo's mj_inverse from C, without constraints: kinematics, mass matrix and Newton-Euler.

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { mjModel * model; mjData * data; } Robot;

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
    memcpy(data->qacc, qdd, size);
    mj_inverse(robot->model, data);
    memcpy(tau, data->qfrc_inverse, size);
  }
}
