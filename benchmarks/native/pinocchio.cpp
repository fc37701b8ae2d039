// Pinocchio's rnea, or its aba. Their templates are compiled here, with the flags of all the rest: the library
// from pip is compiled for any x86-64, and aligns small matrices for that.

#ifdef FORWARD_DYNAMICS
#include <pinocchio/algorithm/aba.hpp>
#define ALGORITHM pinocchio::aba
#else
#include <pinocchio/algorithm/rnea.hpp>
#define ALGORITHM pinocchio::rnea
#endif

#include "pinocchio_tree.hpp"

namespace
{

struct Robot
{
  explicit Robot(const char * path)
  : model(read_model(path)), data(model) {}
  pinocchio::Model model;
  pinocchio::Data data;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) void * create(const char * path)
{
  return new Robot(path);
}

extern "C" __attribute__((visibility("default"))) void evaluate(
  void * self, const double * q, const double * qd, const double * qdd, double * tau, long count)
{
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  Robot & robot = *static_cast<Robot *>(self);
  const int n = robot.model.nv;
  for (long k = 0; k < count; ++k, q += n, qd += n, qdd += n, tau += n) {
    Eigen::Map<Eigen::VectorXd>(tau, n) = ALGORITHM(
      robot.model, robot.data, Vector(q, n), Vector(qd, n), Vector(qdd, n));
  }
}
