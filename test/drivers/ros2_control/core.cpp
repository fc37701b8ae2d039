// The core of a package as a shared library for ctypes.
#include <algorithm>

#include PACKAGE_CORE

namespace robot = PACKAGE;

static robot::DynamicsCore core;

static robot::Vector vector(const double * entries)
{
  robot::Vector result{};
  std::copy_n(entries, robot::JOINTS, result.begin());
  return result;
}

extern "C" void core_reset() {core.reset(robot::Vector{});}

// settings: mode, kp, kd, guiding_friction, mass of the payload; returns status and 16 times fault
extern "C" int core_update(
  const double * values, const double * q, const double * qd, const double * reference, double dt,
  unsigned generation, double * tau)
{
  robot::Settings settings;
  settings.mode = static_cast<robot::Mode>(static_cast<int>(values[0]));
  settings.kp = values[1];
  settings.kd = values[2];
  settings.guiding_friction = values[3];
  settings.payload[0] = values[4];
  settings.generation = generation;
  robot::Reference goal;
  goal.q = vector(reference);
  goal.qd = vector(reference + robot::JOINTS);
  goal.qdd = vector(reference + 2 * robot::JOINTS);
  robot::Vector result = vector(tau);
  const robot::Status status = core.update(settings, vector(q), vector(qd), goal, dt, result);
  std::copy(result.begin(), result.end(), tau);
  return static_cast<int>(status) + 16 * static_cast<int>(core.fault());
}
