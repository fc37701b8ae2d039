// The generated equations of '@robot@' (@robot@_dynamics.h) for arrays of C++, and the poses that they
// take. They return NaN where a pose is not closed.
//
// The joints are those of JOINT_NAMES. Of a robot with closed loops, these are actuated, and passive
// joints follow them so that the loops close: each pose is found from the one before. A robot without
// such loops has no passive joints, and every pose is closed.
#ifndef @PACKAGE@__EQUATIONS_HPP_
#define @PACKAGE@__EQUATIONS_HPP_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

#include "@package@/@robot@_dynamics.h"
#include "@package@/robot.hpp"

namespace @package@
{

using Passive = std::array<double, @passives@>;   // [rad or m] of the passive joints

// [rad or m] A pose that closes: where the generator has assembled the robot
inline constexpr Vector START{
@start@};
inline constexpr Passive PASSIVE_START{
@passive_start@};

// Of the loops in a pose: closed; not there yet, but on the way; not to be closed from where they
// were; or so that a passive joint can move by itself.
enum class Loops { closed, away, open, singular };

// Rules of closing loops: defaults of the generator. A margin is the least sine between the columns of
// the passive joints: efforts grow as 1 / margin.
inline constexpr double REACH = @reach@;      // [rad or m] from a pose to the next, at most
inline constexpr double LEAST_REACH = 1e-4;   // [rad or m] where poses are hard to find
inline constexpr int STEPS = 5;               // of Newton's method
inline constexpr double CONTRACTION = 0.25;   // [-] a step over the one before, at most
inline constexpr double GAP = 1e-6;           // [m] that the last step closes
inline constexpr double SINGULAR = 1e-3;      // [-] margin of singular poses
inline constexpr double KEPT = 0.7;           // [-] share of the margin from a pose to the next
inline constexpr double GOAL_MARGIN = @goal_margin@;   // [-] of references: a fifth of that at START

// Positions of the joints, and of the passive ones that close the loops there.
struct Pose
{
  Vector q = START;
  Passive passive = PASSIVE_START;
  Loops loops = Loops::closed;
  double reach = REACH;   // [rad or m] to the next one
  double margin = NONE;   // [-] least sine between columns of the passive joints
};

// a - b, of a continuous joint at most half a turn.
inline double difference(std::size_t joint, double a, double b) noexcept
{
  return CONTINUOUS[joint] ? std::remainder(a - b, TURN) : a - b;
}

// Move a closed pose to positions or, if they are far, towards them; return what the loops are there.
// Where they are not closed the pose stays, and the next way is shorter.
//
// So that they are not closed in another way that the robot can be assembled in, each step of Newton's
// method must be much shorter than the one before (Deuflhard 2011, section 5.1), and the margin must
// last: between two poses that lose more of it there may be a singular one, where both ways meet. A
// pose below the margin `least` may only gain some.
inline Loops approach(Pose & pose, const Vector & q, double least = SINGULAR) noexcept
{
  Vector way{};
  double far = 0.0;
  for (std::size_t j = 0; j < JOINTS; ++j) {
    way[j] = difference(j, q[j], pose.q[j]);
    if (!std::isfinite(way[j])) {
      return Loops::open;
    }
    far = std::max(far, std::abs(way[j]));
  }
  Pose next = pose;
  next.reach = std::min(2.0 * pose.reach, REACH);
  const bool arrives = far <= pose.reach;
  for (std::size_t j = 0; j < JOINTS; ++j) {
    next.q[j] = arrives ? q[j] : pose.q[j] + pose.reach / far * way[j];
  }
  Loops found = Loops::away;
  double before = UNLIMITED;
  for (int step = 0; found == Loops::away; ++step) {
    const Passive near = next.passive;
    double gap[] = {0.0}, margin[] = {1.0};   // squares, before the step
@newton@    const double moved = std::sqrt(std::inner_product(
        near.begin(), near.end(), next.passive.begin(), 0.0, std::plus<>(),
        [](double a, double b) {return (a - b) * (a - b);}));
    if (gap[0] < GAP * GAP && std::isfinite(moved)) {
      next.margin = std::sqrt(margin[0]);
      found = Loops::closed;
    } else if (!(moved <= CONTRACTION * before) || step + 1 == STEPS) {
      found = Loops::open;
    }
    before = moved;
  }
  if (found == Loops::closed && (next.margin < SINGULAR || next.margin < KEPT * pose.margin ||
    (next.margin < least && !(next.margin > pose.margin))))
  {
    found = Loops::singular;
  }
  if (found != Loops::closed) {
    pose.reach = std::max(0.25 * pose.reach, LEAST_REACH);
    return found;
  }
  pose = next;
  return arrives ? Loops::closed : Loops::away;
}

// Efforts that hold the robot still.
inline void gravity(
  const Pose & at, [[maybe_unused]] const Payload & payload, Vector & tau) noexcept
{
  tau = filled(NONE);
  if (at.loops == Loops::closed) {
    @robot@_gravity(at.q.data(), @passive@@argument@tau.data());
  }
}

// Efforts of a motion, without friction.
inline void inverse_dynamics(
  const Pose & at, const Vector & qd, const Vector & qdd,
  [[maybe_unused]] const Payload & payload, Vector & tau) noexcept
{
  tau = filled(NONE);
  if (at.loops == Loops::closed) {
    @robot@_inverse_dynamics(at.q.data(), qd.data(), qdd.data(), @passive@@argument@tau.data());
  }
}

// Momentum p = M(q) qd, and beta and load of d/dt p = tau + beta - load, without friction.
inline void momentum(
  const Pose & at, const Vector & qd, [[maybe_unused]] const Payload & payload, Vector & p,
  Vector & beta, Vector & load) noexcept
{
  p = beta = load = filled(NONE);
  if (at.loops == Loops::closed) {
    @robot@_momentum(
      at.q.data(), qd.data(), @passive@@argument@p.data(), beta.data(), load.data());
  }
}

// Diagonal of the mass matrix: what gains in 1/s^2 and 1/s are multiplied by.
inline Vector inertia_of_joints(
  const Pose & at, [[maybe_unused]] const Payload & payload) noexcept
{
  Vector result = filled(NONE);
  if (at.loops == Loops::closed) {
    double M[JOINTS][JOINTS];
    @robot@_mass_matrix(at.q.data(), @passive@@argument@M);
    for (std::size_t j = 0; j < JOINTS; ++j) {
      result[j] = M[j][j];
    }
  }
  return result;
}

}  // namespace @package@

#endif  // @PACKAGE@__EQUATIONS_HPP_
