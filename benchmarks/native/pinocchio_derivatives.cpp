// Pinocchio's computeRNEADerivatives, compiled as its rnea in pinocchio.cpp.

#include <pinocchio/algorithm/rnea-derivatives.hpp>

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

// the matrices stay in the data, M as its upper triangle
extern "C" __attribute__((visibility("default"))) void evaluate(
  void * self, const double * q, const double * qd, const double * qdd, double * tau, long count)
{
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  Robot & robot = *static_cast<Robot *>(self);
  const int n = robot.model.nv;
  for (long k = 0; k < count; ++k, q += n, qd += n, qdd += n, tau += n) {
    pinocchio::computeRNEADerivatives(
      robot.model, robot.data, Vector(q, n), Vector(qd, n), Vector(qdd, n));
    Eigen::Map<Eigen::VectorXd>(tau, n) = robot.data.tau;
  }
}
