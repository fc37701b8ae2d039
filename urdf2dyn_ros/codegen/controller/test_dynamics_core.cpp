// The core of '@robot@' without ROS: the numbers of the generator, and the rules of safety.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "@package@/dynamics_core.hpp"

using namespace @package@;

namespace
{
constexpr double NONE = std::numeric_limits<double>::quiet_NaN();
constexpr double DT = 0.001;   // [s]

// States, and what the textbook's recursion on numbers, in Python, returns for them: efforts that
// hold still, and efforts of the motion without and with friction.
struct State
{
  Vector q, qd, qdd;
  Payload payload;
  Vector held, links, efforts;
};
const std::array<State, @states@> STATES{{
@references@}};

double scale(const Vector & expected)
{
  double largest = 1.0;
  for (const double entry : expected) {
    largest = std::max(largest, std::abs(entry));
  }
  return largest;
}

void expect_near(const Vector & found, const Vector & expected, double relative = 1e-9)
{
  for (std::size_t j = 0; j < JOINTS; ++j) {
    EXPECT_NEAR(found[j], expected[j], relative * scale(expected)) << JOINT_NAMES[j];
  }
}

// Settings in which no limit is reached.
Settings unlimited(Mode mode, const Payload & payload = Payload{})
{
  Settings settings;
  settings.mode = mode;
  settings.payload = payload;
  settings.effort_limit = filled(1e9);
  settings.velocity_limit = filled(1e3);
  settings.lower_limit = filled(-UNLIMITED);
  settings.upper_limit = filled(UNLIMITED);
  return settings;
}

// Return the efforts after a second in one state.
Vector settled(const Settings & settings, const State & state, const Reference & reference)
{
  DynamicsCore core;
  core.reset(Vector{});
  Vector tau{};
  Vector q = state.q;
  for (int k = 0; k < 1000; ++k) {   // the last bit alternates: the state is no stale one
    q[0] = k % 2 ? state.q[0] : std::nextafter(state.q[0], 10.0);
    core.update(settings, q, state.qd, reference, DT, tau);
  }
  EXPECT_EQ(core.status(), Status::running);
  return tau;
}
}  // namespace

TEST(Model, AgreesWithTheRecursion)
{
  for (const State & state : STATES) {
    Vector tau{};
    gravity(state.q, state.payload, tau);
    expect_near(tau, state.held);
    inverse_dynamics(state.q, state.qd, state.qdd, state.payload, tau);
    expect_near(tau, state.links);
  }
}

TEST(Laws, GravityHoldsAndTrackingAddsFriction)
{
  for (const State & state : STATES) {
    State still = state;
    still.qd = Vector{};
    Vector held = state.held;
    for (const Friction & row : FRICTION) {
      held[row.joint] += row.ratio * row.offset;
    }
    expect_near(settled(unlimited(Mode::gravity, state.payload), still, Reference{}), held, 1e-8);
    const Reference here{state.q, state.qd, state.qdd};   // no errors: both laws are the same
    for (const Mode mode : {Mode::feedforward, Mode::computed_torque}) {
      expect_near(
        settled(unlimited(mode, state.payload), state, here), state.efforts, 1e-8);
    }
  }
}

TEST(Safety, NothingIsCommandedBeforeAValidState)
{
  DynamicsCore core;
  core.reset(filled(NONE));
  Vector tau = filled(-1.0);
  EXPECT_EQ(core.update(Settings{}, filled(NONE), Vector{}, Reference{}, DT, tau), Status::waiting);
  EXPECT_EQ(tau, filled(-1.0));
  EXPECT_EQ(core.update(Settings{}, Vector{}, Vector{}, Reference{}, DT, tau), Status::running);
}

TEST(Safety, EffortsAndTheirRatesAreLimited)
{
  DynamicsCore core;
  core.reset(Vector{});
  Settings settings;
  settings.mode = Mode::computed_torque;
  settings.kp = 1e9;
  Reference far;
  far.q = filled(1.0);
  Vector tau{}, before{};
  for (int k = 0; k < 2000; ++k) {
    ASSERT_EQ(core.update(settings, Vector{}, Vector{}, far, DT, tau), Status::running);
    for (std::size_t j = 0; j < JOINTS; ++j) {
      EXPECT_LE(std::abs(tau[j]), EFFORT_LIMIT[j]);
      EXPECT_LE(std::abs(tau[j] - before[j]), EFFORT_LIMIT[j] * DT / RATE_TIME * (1.0 + 1e-9));
    }
    before = tau;
  }
}

TEST(Safety, BeyondAPositionLimitAJointIsPushedBack)
{
  for (std::size_t j = 0; j < JOINTS; ++j) {
    if (UPPER_LIMIT[j] == UNLIMITED) {
      continue;
    }
    State state{};
    for (std::size_t k = 0; k < JOINTS; ++k) {
      state.q[k] = std::clamp(0.0, LOWER_LIMIT[k], UPPER_LIMIT[k]);
    }
    state.q[j] = UPPER_LIMIT[j] + 0.1;
    Settings settings = unlimited(Mode::gravity);
    const double free = settled(settings, state, Reference{})[j];
    settings.upper_limit = UPPER_LIMIT;
    EXPECT_LE(settled(settings, state, Reference{})[j], free - 1e-6);
  }
}

TEST(Safety, AnInvalidStateIsDampedAndThenAnError)
{
  struct Case {Fault fault; Vector q, qd; double dt;};
  const std::array<Case, 5> cases{{
    {Fault::not_finite, filled(NONE), Vector{}, DT},
    {Fault::not_finite, Vector{}, filled(std::numeric_limits<double>::infinity()), DT},
    {Fault::jump, filled(1.0), Vector{}, DT},
    {Fault::too_fast, Vector{}, filled(1e3), DT},
    {Fault::stale, Vector{}, Vector{}, 2.0 * STALE_TIME}}};
  for (const Case & each : cases) {
    DynamicsCore core;
    core.reset(Vector{});
    Vector tau{};
    core.update(Settings{}, Vector{}, Vector{}, Reference{}, DT, tau);
    EXPECT_EQ(
      core.update(Settings{}, each.q, each.qd, Reference{}, each.dt, tau), Status::damping);
    EXPECT_EQ(core.fault(), each.fault);
    Status status = Status::damping;
    for (int k = 0; k < 600; ++k) {   // it stays one, whatever follows
      status = core.update(Settings{}, Vector{}, Vector{}, Reference{}, DT, tau);
      for (const double effort : tau) {
        EXPECT_TRUE(std::isfinite(effort));
      }
    }
    EXPECT_EQ(status, Status::error);
    EXPECT_EQ(tau, Vector{});
  }
}

int main(int argc, char ** argv)
{
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
