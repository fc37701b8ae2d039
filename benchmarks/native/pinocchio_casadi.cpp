// Writes robot.c, the C code that CasADi generates from Pinocchio's rnea, from its aba or from
// its computeRNEADerivatives, for a tree.

#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <string>

#include "pinocchio_tree.hpp"

using casadi::SX;

template <typename Values>
SX copied(const Values & values)
{
  SX result(values.rows(), values.cols());
  pinocchio::casadi::copy(values, result);
  return result;
}

int main(int, char ** arguments)
{
  const pinocchio::ModelTpl<SX> model = read_model(arguments[1]).cast<SX>();
  const std::string algorithm = arguments[2];
  pinocchio::DataTpl<SX> data(model);
  const int n = model.nv;
  using Vector = Eigen::Matrix<SX, Eigen::Dynamic, 1>;
  const SX symbols[] = {SX::sym("q", n), SX::sym("qd", n), SX::sym("third", n)};
  Vector vectors[] = {Vector(n), Vector(n), Vector(n)};
  for (int k = 0; k < 3; ++k) {
    pinocchio::casadi::copy(symbols[k], vectors[k]);
  }
  casadi::SXVector results;
  if (algorithm == "aba") {
    pinocchio::aba(model, data, vectors[0], vectors[1], vectors[2]);
    results = {copied(data.ddq)};
  } else if (algorithm == "derivatives") {
    pinocchio::computeRNEADerivatives(model, data, vectors[0], vectors[1], vectors[2]);
    results = {
      copied(data.tau), copied(data.dtau_dq), copied(data.dtau_dv), SX::triu(copied(data.M))};
  } else {
    pinocchio::rnea(model, data, vectors[0], vectors[1], vectors[2]);
    results = {copied(data.tau)};
  }
  casadi::Function("robot", {symbols[0], symbols[1], symbols[2]}, results, {{"cse", true}})
  .generate("robot.c");
  return 0;
}
