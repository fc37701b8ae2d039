// Writes robot.c, the C code that CasADi generates from Pinocchio's rnea, for a tree.

#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/rnea.hpp>

#include "pinocchio_tree.hpp"

int main(int, char ** arguments)
{
  using casadi::SX;
  const pinocchio::ModelTpl<SX> model = read_model(arguments[1]).cast<SX>();
  pinocchio::DataTpl<SX> data(model);
  const int n = model.nv;
  using Vector = Eigen::Matrix<SX, Eigen::Dynamic, 1>;
  const SX symbols[] = {SX::sym("q", n), SX::sym("qd", n), SX::sym("qdd", n)};
  Vector vectors[] = {Vector(n), Vector(n), Vector(n)};
  for (int k = 0; k < 3; ++k) {
    pinocchio::casadi::copy(symbols[k], vectors[k]);
  }
  pinocchio::rnea(model, data, vectors[0], vectors[1], vectors[2]);
  SX tau(n, 1);
  pinocchio::casadi::copy(data.tau, tau);
  casadi::Function("robot", {symbols[0], symbols[1], symbols[2]}, {tau}, {{"cse", true}})
  .generate("robot.c");
  return 0;
}
