// Whatever settings, states, references and periods arrive: efforts are finite and within limits.
// Prints how many cycles were in each status; the first wrong effort ends it with exit code 1.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include PACKAGE_CORE   // "<package>/dynamics_core.hpp"

using namespace PACKAGE;

static std::mt19937_64 random_bits(20261129);

static double uniform(double least, double most)
{
  return std::uniform_real_distribution<double>(least, most)(random_bits);
}

static bool one_in(unsigned number) {return random_bits() % number == 0;}

// A number as nobody expects it: of any bits, or an extreme one.
static double wild()
{
  const double inf = UNLIMITED;
  const double extremes[] = {0.0, -0.0, inf, -inf, 1e308, -1e308, 5e-324, 1e-160, -1.0, 1e6, -1e6};
  if (one_in(3)) {
    const std::uint64_t bits = random_bits();
    double value;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  return one_in(4) ? std::nan("") : extremes[random_bits() % 11];
}

// Disturb one in `number` of the entries.
template<typename Values>
static void disturb(Values & values, unsigned number)
{
  for (double & value : values) {
    value = one_in(number) ? wild() : value;
  }
}

static Settings settings(unsigned wildness)
{
  Settings result;
  result.mode = static_cast<Mode>(random_bits() % (one_in(wildness) ? 7 : 3));
  result.reaction = static_cast<Reaction>(random_bits() % (one_in(wildness) ? 7 : 3));
  std::array<double, 6> numbers{uniform(0.0, 1e3), uniform(0.0, 100.0), uniform(0.0, 1.0),
    uniform(0.0, 1.0), uniform(0.0, 2.0), uniform(0.0, 0.1)};
  for (std::size_t j = 0; j < JOINTS; ++j) {
    result.effort_limit[j] *= uniform(1e-3, 1.0);
    result.velocity_limit[j] *= uniform(1e-3, 1.0);
  }
  result.payload = {uniform(0.0, 5.0), uniform(-0.1, 0.1), uniform(-0.1, 0.1), uniform(-0.1, 0.1),
    uniform(0.1, 0.15), uniform(-0.01, 0.01), 0.0, uniform(0.1, 0.15), 0.0, uniform(0.1, 0.15)};
  disturb(numbers, 20 * wildness);
  disturb(result.effort_limit, 20 * wildness);
  disturb(result.velocity_limit, 20 * wildness);
  disturb(result.payload, 20 * wildness);
  result.kp = numbers[0];
  result.kd = numbers[1];
  result.largest_error = numbers[2];
  result.guiding_friction = numbers[3];
  result.guiding_damping = numbers[4];
  result.dead_band = numbers[5];
  return result;
}

int main(int, char ** words)
{
  const long cycles = std::atol(words[1]);
  long statuses[4] = {}, refused = 0;
  DynamicsCore core;
  Settings now;
  Pose closed;
  Vector q{}, qd{}, tau{};
  Reference reference;
  unsigned wildness = 1;
  for (long k = 0; k < cycles; ++k) {
    if (one_in(2000) || (core.status() == Status::error && one_in(20))) {
      Vector before{};
      disturb(before, 2);
      core.reset(before);
      closed = Pose();
      for (std::size_t j = 0; j < JOINTS; ++j) {   // where loops take several cycles to close
        q[j] = START[j] + uniform(-0.3, 0.3);
      }
      qd = Vector{};
      wildness = one_in(2) ? 1 : 1000;   // 1: everything is wild; 1000: mostly a motion
    }
    if (one_in(100)) {
      const unsigned generation = now.generation + 1;
      now = settings(wildness);
      now.generation = one_in(10) ? generation - 1 : generation;
    }
    for (std::size_t j = 0; j < JOINTS; ++j) {
      qd[j] = std::clamp(qd[j] + uniform(-0.01, 0.01) * VELOCITY_LIMIT[j],
          -1e-3 * VELOCITY_LIMIT[j], 1e-3 * VELOCITY_LIMIT[j]);
      q[j] += 1e-3 * qd[j];
      reference.q[j] = q[j] + uniform(-0.01, 0.01);
      reference.qd[j] = one_in(2) ? qd[j] : std::nan("");
    }
    Vector q_seen = q, qd_seen = qd;
    disturb(q_seen, 50 * wildness);
    disturb(qd_seen, 50 * wildness);
    disturb(reference.q, 50 * wildness);
    disturb(reference.qd, 50 * wildness);
    disturb(reference.qdd, 50 * wildness);
    tau = Vector{};
    const Loops loops = approach(closed, q_seen);
    const Status status = core.update(
      now, {q_seen, closed.passive, loops}, qd_seen, reference, one_in(20 * wildness) ? wild() : 1e-3, tau,
      k % 500 > 400);
    ++statuses[static_cast<int>(status)];
    refused += core.fault() == Fault::settings;
    for (std::size_t j = 0; j < JOINTS; ++j) {
      if (!(std::abs(tau[j]) <= core.taken().effort_limit[j] &&
        core.taken().effort_limit[j] <= EFFORT_LIMIT[j]))
      {
        std::printf("cycle %ld, joint %zu: %g\n", k, j, tau[j]);
        return 1;
      }
    }
  }
  std::printf("waiting %ld running %ld damping %ld error %ld refused %ld\n", statuses[0],
    statuses[1], statuses[2], statuses[3], refused);
  return 0;
}
