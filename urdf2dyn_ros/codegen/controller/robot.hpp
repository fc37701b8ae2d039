// The robot '@robot@' as the controller sees it: limits and friction, each number with its origin,
// and the generated equations (@robot@_dynamics.h) for arrays of C++.
#ifndef @PACKAGE@__ROBOT_HPP_
#define @PACKAGE@__ROBOT_HPP_

#include <array>
#include <cstddef>
#include <limits>

#include "@package@/@robot@_dynamics.h"

namespace @package@
{

inline constexpr std::size_t JOINTS = @joints@;
using Vector = std::array<double, JOINTS>;   // an entry a joint, in the order of JOINT_NAMES
using Payload = std::array<double, 10>;      // @payload@

inline constexpr double TURN = 6.283185307179586;   // [rad]
inline constexpr double UNLIMITED = std::numeric_limits<double>::infinity();

// Return a vector of equal entries.
inline constexpr Vector filled(double value)
{
  Vector result{};
  for (std::size_t j = 0; j < JOINTS; ++j) {
    result[j] = value;
  }
  return result;
}

inline constexpr std::array<const char *, JOINTS> JOINT_NAMES{
@joint_names@};

// Whether a joint turns without end: differences of its positions are at most half a turn.
inline constexpr std::array<bool, JOINTS> CONTINUOUS{
@continuous@};

// [rad or m], <limit lower> and <limit upper> of the URDF
inline constexpr Vector LOWER_LIMIT{
@lower_limits@};
inline constexpr Vector UPPER_LIMIT{
@upper_limits@};

// [N m or N], <limit effort> of the URDF
inline constexpr Vector EFFORT_LIMIT{
@effort_limits@};

// [rad/s or m/s], <limit velocity> of the URDF
inline constexpr Vector VELOCITY_LIMIT{
@velocity_limits@};

// [rad or m] beyond what the velocity limit allows, from which on a step of a position is a jump:
// default of the generator
inline constexpr Vector JUMP_MARGIN{
@jump_margins@};

// Friction of one joint, ratio times as fast as a joint of JOINT_NAMES:
//     viscous qd + quadratic qd |qd| + offset
//         + (coulomb + load |effort without friction| + stribeck exp(-(qd / stribeck_velocity)^2)
//            + asymmetry qd) tanh(qd / width)
struct Friction
{
  std::size_t joint;          // number in JOINT_NAMES
  double ratio;               // [-] 1, or the multiplier of a mimic joint
  double viscous;             // [N m s/rad or N s/m]
  double coulomb;             // [N m or N]
  double width;               // [rad/s or m/s]
  double stribeck;            // [N m or N]
  double stribeck_velocity;   // [rad/s or m/s]
  double offset;              // [N m or N]
  double load;                // [-]
  double quadratic;           // [N m s^2/rad^2 or N s^2/m^2]
  double asymmetry;           // [N m s/rad or N s/m]
};
inline constexpr std::array<Friction, @frictions@> FRICTION{@friction@};

// Efforts that hold the robot still.
inline void gravity(const Vector & q, [[maybe_unused]] const Payload & payload, Vector & tau) noexcept
{
  @robot@_gravity(q.data(), @argument@tau.data());
}

// Efforts of a motion, without friction.
inline void inverse_dynamics(
  const Vector & q, const Vector & qd, const Vector & qdd,
  [[maybe_unused]] const Payload & payload, Vector & tau) noexcept
{
  @robot@_inverse_dynamics(q.data(), qd.data(), qdd.data(), @argument@tau.data());
}

// Mass matrix.
inline void mass_matrix(
  const Vector & q, [[maybe_unused]] const Payload & payload, double M[JOINTS][JOINTS]) noexcept
{
  @robot@_mass_matrix(q.data(), @argument@M);
}

}  // namespace @package@

#endif  // @PACKAGE@__ROBOT_HPP_
