// Pinocchio's rnea. Its templates are compiled here, with the flags of all the rest: the library
// from pip is compiled for any x86-64, and aligns small matrices for that.

#include <pinocchio/algorithm/rnea.hpp>

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
    Eigen::Map<Eigen::VectorXd>(tau, n) = pinocchio::rnea(
      robot.model, robot.data, Vector(q, n), Vector(qd, n), Vector(qdd, n));
  }
}
