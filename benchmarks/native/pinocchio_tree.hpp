// A tree as a model of Pinocchio.

#pragma once

#include <pinocchio/multibody.hpp>

#include "tree.hpp"

inline pinocchio::Model read_model(const char * path)
{
  pinocchio::Model model;
  for (const Body & body : read_tree(path)) {
    const pinocchio::SE3 placement(
      Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(body.rotation),
      Eigen::Map<const Eigen::Vector3d>(body.position));
    const pinocchio::JointIndex parent = body.parent + 1;
    const pinocchio::JointIndex joint = body.type == "revolute" ?
      model.addJoint(parent, pinocchio::JointModelRZ(), placement, body.name) :
      model.addJoint(parent, pinocchio::JointModelPZ(), placement, body.name);
    const double * I = body.inertia;
    Eigen::Matrix3d inertia;
    inertia << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
    model.appendBodyToJoint(
      joint,
      pinocchio::Inertia(body.mass, Eigen::Map<const Eigen::Vector3d>(body.com), inertia));
  }
  return model;
}
