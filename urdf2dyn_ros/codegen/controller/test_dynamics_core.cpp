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
constexpr double DT = 0.001;   // [s]

// States, and what the textbook's recursion on numbers, in Python, returns for them: efforts that
// hold still, and efforts of the motion without and with friction.
struct State
{
  Vector q;
  Passive passive;
  Vector qd, qdd;
  Payload payload;
  Vector held, links, efforts;

  Pose at() const {return {q, passive};}
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

Settings settings_of(Mode mode, const Payload & payload = Payload{})
{
  Settings settings;
  settings.mode = mode;
  settings.payload = payload;
  return settings;
}

// The pose at positions or, where loops do not close, the last one on the way there.
Pose nearest(const Vector & q)
{
  Pose pose;
  while (approach(pose, q) == Loops::away) {
  }
  return pose;
}

// A pose in which all joints are within their limits.
Pose usual()
{
  Vector q{};
  for (std::size_t j = 0; j < JOINTS; ++j) {
    q[j] = std::clamp(START[j] + 0.1, LOWER_LIMIT[j], UPPER_LIMIT[j]);
  }
  return nearest(q);
}

// Drive a core that begins at rest.
struct Drive
{
  explicit Drive(const Settings & settings) : now(settings) {core.reset(Vector{});}

  Status cycles(int number)
  {
    Status status = Status::waiting;
    for (int k = 0; k < number; ++k) {
      status = core.update(now, at, qd, reference, DT, tau);
    }
    return status;
  }

  Settings now;
  DynamicsCore core{};
  Pose at = usual();
  Vector qd{}, tau{};
  Reference reference{};
};
}  // namespace

TEST(Model, AgreesWithTheRecursion)
{
  for (const State & state : STATES) {
    Vector tau{};
    gravity(state.at(), state.payload, tau);
    expect_near(tau, state.held);
    inverse_dynamics(state.at(), state.qd, state.qdd, state.payload, tau);
    expect_near(tau, state.links);
  }
}

TEST(Laws, GravityHoldsAndTrackingAddsFriction)
{
  for (const State & state : STATES) {
    Vector held = state.held;
    for (const Friction & row : FRICTION) {
      held[row.joint] += row.ratio * row.offset;
    }
    const Settings still = settings_of(Mode::gravity, state.payload);
    expect_near(law(still, state.at(), Vector{}, Goal{}), held);
    const Goal here{state.at(), state.qd, state.qdd};   // no errors: both laws are the same
    for (const Mode mode : {Mode::feedforward, Mode::computed_torque}) {
      expect_near(law(settings_of(mode, state.payload), state.at(), state.qd, here), state.efforts);
    }
  }
}

// The share of a change that is there after a time is the same, however often settings change.
TEST(Laws, FiltersComeToRest)
{
  double value = 1.0, toward = 0.0;
  for (int k = 0; k < 10000; ++k) {   // never subnormal: an update would take longer at rest
    value = nearer(value, 0.0, 0.1);
    toward = nearer(toward, -3.0, 0.1);
    EXPECT_TRUE(value == 0.0 || std::isnormal(value));
  }
  EXPECT_EQ(value, 0.0);
  EXPECT_NEAR(toward, -3.0, 1e-12);
}

TEST(Laws, ChangesThatFollowEachOtherFadeAtOneRate)
{
  for (const int between : {1, 20, 50, 100, 500}) {   // cycles of 1 ms from a change to the next
    Drive run(settings_of(Mode::gravity));
    run.cycles(5000);
    const double before = run.tau[0];
    run.now.guiding_damping = 0.0;   // of which nothing is seen at rest
    run.now.mode = Mode::computed_torque;
    run.reference.q = run.at.q;
    run.reference.q[0] += 0.001;
    run.reference.qd = run.reference.qdd = Vector{};
    const Goal goal{nearest(run.reference.q), Vector{}, Vector{}};
    const double after = law(run.now, run.at, run.qd, goal)[0];
    for (int k = 0; k < 500; ++k) {
      run.now.generation += k % between == 0;
      run.now.kp *= k % between == 0 ? 1.0 + 1e-9 : 1.0;
      ASSERT_EQ(run.cycles(1), Status::running);
    }
    EXPECT_NEAR((run.tau[0] - before) / (after - before), 1.0, 0.01);
  }
}

TEST(Safety, SettingsThatAreNotValidAreNotTaken)
{
  Drive run(settings_of(Mode::gravity));
  run.cycles(5000);
  const Vector before = run.tau;
  const double inf = std::numeric_limits<double>::infinity();
  for (int which = 0; which < 12; ++which) {
    for (const double wrong : {NONE, inf, -inf, -1.0, 1e300}) {
      Settings settings = settings_of(Mode::gravity);
      Vector * vectors[] = {&settings.effort_limit, &settings.velocity_limit};
      double * numbers[] = {&settings.kp, &settings.kd, &settings.largest_error,
        &settings.guiding_friction, &settings.guiding_damping, &settings.dead_band,
        &settings.payload[0], &settings.payload[4], &settings.payload[7], &settings.payload[9]};
      *(which < 10 ? numbers[which] : &(*vectors[which - 10])[0]) = wrong;
      settings.generation = run.now.generation + 1;
      run.now = settings;
      EXPECT_EQ(run.cycles(1), Status::running);
      EXPECT_EQ(run.core.fault(), Fault::settings);
      EXPECT_EQ(run.core.taken().generation, 0U);
      expect_near(run.tau, before);
    }
  }
  run.now = settings_of(Mode::gravity);
  run.now.generation = 1000;
  run.cycles(1);
  EXPECT_EQ(run.core.fault(), Fault::none);
  EXPECT_EQ(run.core.taken().generation, 1000U);
}

TEST(Safety, AnInertiaIsThatOfABody)
{
  const std::array<std::array<double, 6>, 3> bodies{{
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 1.0, 0.0, 2.0}, {2.0, 0.5, -0.3, 3.0, 0.4, 4.0}}};
  for (const auto & body : bodies) {
    EXPECT_TRUE(inertia(body.data()) == nullptr);
  }
  const std::array<std::array<double, 6>, 4> none{{
    {1.0, 0.0, 0.0, 1.0, 0.0, 2.1}, {-1.0, 0.0, 0.0, 1.0, 0.0, 1.0}, {1.0, 0.9, 0.0, 1.0, 0.0, 1.0},
    {1.0, 0.4, 0.4, 1.0, 0.4, 1.0}}};
  for (const auto & body : none) {
    EXPECT_TRUE(inertia(body.data()) != nullptr);
  }
}

TEST(Safety, NothingIsCommandedBeforeAValidState)
{
  DynamicsCore core;
  core.reset(filled(NONE));
  Vector tau = filled(-1.0);
  for (const Loops loops : {Loops::closed, Loops::away, Loops::open, Loops::singular}) {
    const Pose none{loops == Loops::closed ? filled(NONE) : START, PASSIVE_START, loops};
    EXPECT_EQ(core.update(Settings{}, none, Vector{}, Reference{}, DT, tau), Status::waiting);
  }
  EXPECT_EQ(tau, filled(-1.0));
  EXPECT_EQ(core.update(Settings{}, Pose{}, Vector{}, Reference{}, DT, tau), Status::running);
}

TEST(Safety, EffortsAndTheirRatesAreLimited)
{
  Drive run(settings_of(Mode::computed_torque));
  run.now.kp = LARGEST;
  run.reference.q = filled(1.0);
  Vector before{};
  for (int k = 0; k < 2000; ++k) {
    ASSERT_EQ(run.cycles(1), Status::running);
    for (std::size_t j = 0; j < JOINTS; ++j) {
      EXPECT_LE(std::abs(run.tau[j]), EFFORT_LIMIT[j]);
      EXPECT_LE(std::abs(run.tau[j] - before[j]), EFFORT_LIMIT[j] * DT / RATE_TIME * (1.0 + 1e-9));
    }
    before = run.tau;
  }
}

TEST(Safety, BeyondAPositionLimitAJointIsPushedBack)
{
  for (std::size_t j = 0; j < JOINTS; ++j) {
    if (UPPER_LIMIT[j] == UNLIMITED) {
      continue;
    }
    Drive run(settings_of(Mode::gravity));
    Vector q = run.at.q;
    q[j] = UPPER_LIMIT[j] + 0.1;
    run.at = nearest(q);
    if (run.at.q != q) {   // its loops do not close there
      continue;
    }
    const double free = law(run.now, run.at, run.qd, Goal{})[j];
    run.cycles(1000);
    EXPECT_LE(run.tau[j], std::min(free, EFFORT_LIMIT[j]) - 1e-6);
  }
}

TEST(Safety, AnInvalidStateIsDampedAndThenAnError)
{
  struct Case {Fault fault; Pose at; Vector qd; double dt;};
  Vector far = START;
  far[0] += 1.0;
  const std::array<Case, 8> cases{{
    {Fault::not_finite, {filled(NONE), PASSIVE_START}, Vector{}, DT},
    {Fault::not_finite, Pose{}, filled(std::numeric_limits<double>::infinity()), DT},
    {Fault::jump, {far, PASSIVE_START}, Vector{}, DT},
    {Fault::too_fast, Pose{}, filled(1e3), DT},
    {Fault::open, {START, PASSIVE_START, Loops::open}, Vector{}, DT},
    {Fault::open, {START, PASSIVE_START, Loops::away}, Vector{}, DT},
    {Fault::singular, {START, PASSIVE_START, Loops::singular}, Vector{}, DT},
    {Fault::stale, Pose{}, Vector{}, 2.0 * STALE_TIME}}};
  for (const Case & each : cases) {
    DynamicsCore core;
    core.reset(Vector{});
    Vector tau{};
    core.update(Settings{}, Pose{}, Vector{}, Reference{}, DT, tau);
    EXPECT_EQ(
      core.update(Settings{}, each.at, each.qd, Reference{}, each.dt, tau), Status::damping);
    EXPECT_EQ(core.fault(), each.fault);
    Status status = Status::damping;
    for (int k = 0; k < 600; ++k) {   // it stays one, whatever follows
      status = core.update(Settings{}, Pose{}, Vector{}, Reference{}, DT, tau);
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
