// KDL's recursive Newton-Euler algorithm for trees.

#include <string>
#include <vector>

#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "tree.hpp"

namespace
{

KDL::Tree built(const std::vector<Body> & bodies)
{
  KDL::Tree tree("root");
  for (const Body & body : bodies) {
    const double * R = body.rotation, * p = body.position, * c = body.com, * I = body.inertia;
    const KDL::Frame placement(
      KDL::Rotation(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]),
      KDL::Vector(p[0], p[1], p[2]));
    const KDL::Joint joint(
      body.name, placement.p, placement.M * KDL::Vector(0, 0, 1),
      body.type == "revolute" ? KDL::Joint::RotAxis : KDL::Joint::TransAxis);
    const KDL::RigidBodyInertia inertia(
      body.mass, KDL::Vector(c[0], c[1], c[2]),
      KDL::RotationalInertia(I[0], I[3], I[5], I[1], I[2], I[4]));
    tree.addSegment(
      KDL::Segment(body.name, joint, placement, inertia),
      body.parent < 0 ? "root" : bodies[body.parent].name);
  }
  return tree;
}

struct Robot
{
  explicit Robot(const char * path)
  : tree(built(read_tree(path))), solver(tree, KDL::Vector(0, 0, -9.81)),
    q(tree.getNrOfJoints()), qd(q), qdd(q), tau(q) {}
  KDL::Tree tree;
  KDL::TreeIdSolver_RNE solver;
  KDL::WrenchMap no_forces;
  KDL::JntArray q, qd, qdd, tau;
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
  const int n = robot.tree.getNrOfJoints();
  for (long k = 0; k < count; ++k, q += n, qd += n, qdd += n, tau += n) {
    robot.q.data = Vector(q, n);
    robot.qd.data = Vector(qd, n);
    robot.qdd.data = Vector(qdd, n);
    robot.solver.CartToJnt(robot.q, robot.qd, robot.qdd, robot.no_forces, robot.tau);
    Eigen::Map<Eigen::VectorXd>(tau, n) = robot.tau.data;
  }
}
