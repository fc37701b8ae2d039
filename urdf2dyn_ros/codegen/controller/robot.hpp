// The robot '@robot@' as the controller sees it: limits and friction, each number with its origin.
#ifndef @PACKAGE@__ROBOT_HPP_
#define @PACKAGE@__ROBOT_HPP_

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace @package@
{

inline constexpr std::size_t JOINTS = @joints@;
using Vector = std::array<double, JOINTS>;   // an entry a joint, in the order of JOINT_NAMES
using Payload = std::array<double, 10>;      // @payload@

inline constexpr double TURN = 6.283185307179586;   // [rad]
inline constexpr double UNLIMITED = std::numeric_limits<double>::infinity();
inline constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

// Return a vector of equal entries.
inline constexpr Vector filled(double value)
{
  Vector result{};
  for (std::size_t j = 0; j < JOINTS; ++j) {
    result[j] = value;
  }
  return result;
}

// A filter's next value, a share of the way to `wanted`. What decays gets to 0: left alone it becomes
// subnormal, with which each operation takes many times as long.
inline double nearer(double value, double wanted, double share) noexcept
{
  const double next = value + share * (wanted - value);
  return std::abs(next) < 1e-30 ? 0.0 : next;
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

// [1/s] of the observer of external efforts: @gain_words@
inline constexpr Vector OBSERVER_GAIN{
@observer_gains@};

// [N m or N] above which an external effort is a contact: @threshold_words@
inline constexpr Vector CONTACT_THRESHOLD{
@thresholds@};

// Friction of a velocity, without its offset; `sign` is the smooth sign of the velocity.
inline double moving_friction(const Friction & row, double qd, double sign, double links) noexcept
{
  const double sticking = row.stribeck == 0.0 ? 0.0 :
    row.stribeck * std::exp(-(qd / row.stribeck_velocity) * (qd / row.stribeck_velocity));
  return row.viscous * qd + row.quadratic * qd * std::abs(qd) +
         (row.coulomb + row.load * std::abs(links) + sticking + row.asymmetry * qd) * sign;
}

// Friction of velocities, where the joints transmit `links` [N m or N] at rest.
inline Vector friction(const Vector & qd, const Vector & links) noexcept
{
  Vector result{};
  for (const Friction & row : FRICTION) {
    const double rate = row.ratio * qd[row.joint];
    result[row.joint] += row.ratio * (row.offset + moving_friction(
      row, rate, std::tanh(rate / row.width), links[row.joint]));
  }
  return result;
}

}  // namespace @package@

#endif  // @PACKAGE@__ROBOT_HPP_
