// What may change while the controller of '@robot@' runs, and what each number must be: one rule a
// kind of number, for the parameter server (validators.hpp) and for the core.
#ifndef @PACKAGE@__SETTINGS_HPP_
#define @PACKAGE@__SETTINGS_HPP_

#include <cmath>
#include <cstddef>

#include "@package@/robot.hpp"

namespace @package@
{

enum class Mode { gravity, feedforward, computed_torque };

// To a contact: none; mode gravity; or gravity held and every motion braked.
enum class Reaction { report, gravity, damping };

// `robot.hpp` has the defaults of the limits.
struct Settings
{
  Mode mode = Mode::gravity;
  Reaction reaction = Reaction::report;
  double kp = 400.0;                // [1/s^2], of every joint: 20 rad/s, critically damped with kd
  double kd = 40.0;                 // [1/s]
  double largest_error = 0.1;       // [rad or m] error of position that the feedback sees at most
  double guiding_friction = 0.8;    // [-] share c of friction that mode gravity compensates
  double guiding_damping = 0.5;     // [1/s] rate d at which mode gravity slows a joint
  double dead_band = 0.01;          // [rad/s or m/s] up to which c is 0; at twice this, all of it
  Vector effort_limit = EFFORT_LIMIT;       // [N m or N]
  Vector velocity_limit = VELOCITY_LIMIT;   // [rad/s or m/s]
  Payload payload{};                // mass [kg], centre [m], inertia about it [kg m^2]
  unsigned generation = 0;          // counted up at each change
};

inline constexpr double LARGEST = 1e6;   // of any number [SI]: with it no equation overflows

// Each rule returns what a number must be, or nullptr if it is: NaN and inf never are.
using Objection = const char *;

inline Objection not_negative(double value) noexcept
{
  return value >= 0.0 && value <= LARGEST ? nullptr : "must be a number from 0 to 1e6";
}

inline Objection fraction(double value) noexcept
{
  return value >= 0.0 && value <= 1.0 ? nullptr : "must be a number from 0 to 1";
}

// A limit of each joint, at most that of the URDF.
template<typename Values>
Objection limits(const Values & values, const Vector & most) noexcept
{
  bool valid = values.size() == JOINTS;
  for (std::size_t j = 0; valid && j < JOINTS; ++j) {
    valid = values[j] > 0.0 && values[j] <= most[j];
  }
  return valid ? nullptr : "must be above 0 and at most the limit of the URDF, for each joint";
}

inline Objection centre(const double * com) noexcept
{
  bool valid = true;
  for (std::size_t k = 0; k < 3; ++k) {
    valid = valid && std::abs(com[k]) <= LARGEST;
  }
  return valid ? nullptr : "must be three numbers of at most 1e6 m";
}

// An inertia ixx ixy ixz iyy iyz izz that a body can have: trace / 2 - inertia, the second moments
// of its mass, is positive semidefinite, up to rounding.
inline Objection inertia(const double * i) noexcept
{
  const double half = 0.5 * (i[0] + i[3] + i[5]), rounding = 2e-6 * half;
  const double a = half - i[0] + rounding, b = half - i[3] + rounding, c = half - i[5] + rounding;
  bool valid = half >= 0.0 && half <= LARGEST && a >= 0.0 && b >= 0.0 && c >= 0.0;
  valid = valid && a * b >= i[1] * i[1] && a * c >= i[2] * i[2] && b * c >= i[4] * i[4];
  const double determinant = a * (b * c - i[4] * i[4]) - i[1] * (i[1] * c + i[4] * i[2]) -
    i[2] * (i[1] * i[4] + b * i[2]);
  return valid && determinant >= 0.0 ? nullptr :
         "no body has: each principal moment must be at most the sum of the other two";
}

// Return what is wrong with settings.
inline Objection objection(const Settings & settings) noexcept
{
  if (settings.mode < Mode::gravity || settings.mode > Mode::computed_torque ||
    settings.reaction < Reaction::report || settings.reaction > Reaction::damping)
  {
    return "the mode or the reaction is unknown";
  }
  const double * payload = settings.payload.data();
  for (const Objection found : {
      not_negative(settings.kp), not_negative(settings.kd), not_negative(settings.largest_error),
      fraction(settings.guiding_friction), not_negative(settings.guiding_damping),
      not_negative(settings.dead_band), limits(settings.effort_limit, EFFORT_LIMIT),
      limits(settings.velocity_limit, VELOCITY_LIMIT), not_negative(payload[0]),
      centre(payload + 1), inertia(payload + 4)})
  {
    if (found != nullptr) {
      return found;
    }
  }
  return nullptr;
}

}  // namespace @package@

#endif  // @PACKAGE@__SETTINGS_HPP_
