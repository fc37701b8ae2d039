// C that CasADi generated, called through CasADi's interface for generated functions.

#include <stdlib.h>

typedef long long int casadi_int;
int robot(const double ** arg, double ** res, casadi_int * iw, double * w, int mem);
casadi_int robot_n_out(void);
int robot_work(casadi_int * sz_arg, casadi_int * sz_res, casadi_int * sz_iw, casadi_int * sz_w);

typedef struct { const double ** arg; double ** res; casadi_int * iw; double * w; } Work;

void * create(const char * path)
{
  casadi_int arg, res, iw, w;
  Work * work = malloc(sizeof(Work));
  (void)path;
  robot_work(&arg, &res, &iw, &w);
  work->arg = calloc(arg + 1, sizeof(double *));
  work->res = calloc(res + 1, sizeof(double *));
  work->iw = calloc(iw + 1, sizeof(casadi_int));
  work->w = calloc(w + 1, sizeof(double));
  for (casadi_int k = 1; k < robot_n_out(); ++k) {   // matrices, which are not compared
    work->res[k] = calloc(JOINTS * JOINTS, sizeof(double));
  }
  return work;
}

void evaluate(void * self, const double * q, const double * qd, const double * qdd, double * tau,
              long count)
{
  const Work * work = self;
  for (long k = 0; k < count; ++k, q += JOINTS, qd += JOINTS, qdd += JOINTS, tau += JOINTS) {
    work->arg[0] = q;
    work->arg[1] = qd;
    work->arg[2] = qdd;
    work->res[0] = tau;
    robot(work->arg, work->res, work->iw, work->w, 0);
  }
}
