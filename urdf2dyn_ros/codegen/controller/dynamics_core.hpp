// What the controller of '@robot@' computes, without ROS: state and reference in, efforts out.
//
// Three laws; M, g and ID are the generated model with the payload, f is friction, e and ed are the
// errors of position and velocity, all in SI units:
//
//     gravity            tau = g(q) + c f(qd) - d diag M(q) qd   c below 1: guided by hand
//     feedforward        tau = ID(q_r, qd_r, qdd_r) + f(qd_r) + diag M(q) (kp e + kd ed)
//     computed_torque    tau = ID(q, qd, qdd_r + kp e + kd ed) + f(qd_r)
//
// What it guarantees, whatever arrives:
//
// - Nothing is commanded before a valid state.
// - Settings that are not finite or out of bounds are not taken: those before stay.
// - At activation the effort of gravity comes at once, as fast as efforts may change, and all else
//   within 0.5 s. So does any change of the settings, of mode or payload as well: the difference
//   between both laws is added to what is left of those before, and all of it fades at one rate,
//   however often settings change.
// - Efforts are finite, and they and their rates within limits, also while damping. A joint beyond
//   its velocity limit is braked, one beyond its position limit is pushed back, and references stay
//   within both, and where loops close.
// - After a contact it does what `reaction` says, as fast as efforts may change, until it is told that
//   the contact is forgotten.
// - A state that is not finite, stale, or jumps, where loops do not close or are singular, or a
//   velocity far beyond the limit, leads to damping: gravity is held and motion is braked for 0.5 s. Then the core is in error: its efforts
//   are zero until `reset`.
// - `update` neither allocates, locks nor throws, and takes the same time in each mode; with new
//   settings, that of both laws.
#ifndef @PACKAGE@__DYNAMICS_CORE_HPP_
#define @PACKAGE@__DYNAMICS_CORE_HPP_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "@package@/equations.hpp"
#include "@package@/settings.hpp"

namespace @package@
{

enum class Status { waiting, running, damping, error };   // waiting: for a first valid state
enum class Fault { none, not_finite, stale, jump, too_fast, settings, open, singular };

// What each Fault is, for a log.
inline const char * description(Fault fault)
{
  switch (fault) {
    case Fault::not_finite: return "a position, velocity or effort is not finite";
    case Fault::stale: return "the state does not change though the arm moves, or cycles are missing";
    case Fault::jump: return "a position jumps farther than the joint can move";
    case Fault::too_fast: return "a velocity is beyond 1.5 times its limit";
    case Fault::settings: return "settings are not finite or out of bounds; those before stay";
    case Fault::open: return "they do not close from the pose before";
    case Fault::singular: return "they are singular: a passive joint can move by itself";
    case Fault::none: break;
  }
  return "none";
}

// Times and factors of the safety rules: defaults of the generator.
inline constexpr double FADE_RATE = 15.0;     // [1/s] of a change of settings: 99.5 % in 0.5 s
inline constexpr double DAMPING_TIME = 0.5;   // [s] from a fault to the error
inline constexpr double STALE_TIME = 0.1;     // [s] without news after which a state is stale
inline constexpr double RATE_TIME = 0.05;     // [s] in which an effort may go from 0 to its limit
inline constexpr double BRAKE_RATE = 20.0;    // [1/s] inverse time constant of braking
inline constexpr double RUNAWAY = 1.5;        // of the velocity limit: a fault
inline constexpr double FILTER_TIME = 0.005;  // [s] of references that are differentiated

// A motion to follow; what is NaN is missing: held, integrated or differentiated.
struct Reference
{
  Vector q = filled(NONE);
  Vector qd = filled(NONE);
  Vector qdd = filled(NONE);
};

// A reference that is complete and can be reached.
struct Goal
{
  Pose at{};
  Vector qd{}, qdd{};
};

// What is left of a difference: it begins level, and goes as a critically damped spring. As that is
// linear, what is added later changes nothing of how the rest goes.
struct Fading
{
  double left = 0.0, rate = 0.0;   // rate: of `left` [1/s]

  void add(double difference) noexcept {left += difference;}

  // Go on by dt [s], where `kept` is exp(-FADE_RATE dt); what is below `least` is gone.
  void step(double dt, double kept, double least) noexcept
  {
    const double slope = rate + FADE_RATE * left;
    rate = kept * (rate - FADE_RATE * dt * slope);
    left = kept * (left + dt * slope);
    if (!(std::abs(left) + std::abs(rate) / FADE_RATE >= least)) {
      left = rate = 0.0;
    }
  }
};

// Efforts of the law of the settings, without limits: state and completed reference in.
inline Vector law(
  const Settings & settings, const Pose & at, const Vector & qd, const Goal & goal) noexcept
{
  Vector tau{};
  if (settings.mode == Mode::gravity) {
    gravity(at, settings.payload, tau);
    const double band = std::max(settings.dead_band, std::numeric_limits<double>::min());
    for (const Friction & row : FRICTION) {
      const double rate = row.ratio * qd[row.joint];
      const double open = std::clamp(std::abs(rate) / band - 1.0, 0.0, 1.0);
      tau[row.joint] += row.ratio * (row.offset + settings.guiding_friction *
        moving_friction(row, rate, std::copysign(open, rate), tau[row.joint]));
    }
    const Vector inertia = inertia_of_joints(at, settings.payload);
    for (std::size_t j = 0; j < JOINTS; ++j) {   // what the model leaves of friction may be nothing
      tau[j] -= settings.guiding_damping * inertia[j] * qd[j];
    }
    return tau;
  }
  Vector feedback{};
  for (std::size_t j = 0; j < JOINTS; ++j) {
    const double e = std::clamp(
      difference(j, goal.at.q[j], at.q[j]), -settings.largest_error, settings.largest_error);
    feedback[j] = settings.kp * e + settings.kd * (goal.qd[j] - qd[j]);
  }
  if (settings.mode == Mode::feedforward) {
    inverse_dynamics(goal.at, goal.qd, goal.qdd, settings.payload, tau);
    const Vector inertia = inertia_of_joints(at, settings.payload);
    for (std::size_t j = 0; j < JOINTS; ++j) {
      tau[j] += inertia[j] * feedback[j];
    }
  } else {
    for (std::size_t j = 0; j < JOINTS; ++j) {
      feedback[j] += goal.qdd[j];
    }
    inverse_dynamics(at, qd, feedback, settings.payload, tau);
  }
  const Vector of_reference = friction(goal.qd, tau);   // at rest it does not buzz
  for (std::size_t j = 0; j < JOINTS; ++j) {
    tau[j] += of_reference[j];
  }
  return tau;
}

class DynamicsCore
{
public:
  // Begin anew, with the efforts [N m or N] that the joints have now; not finite: none. Settings
  // stay until others are taken.
  void reset(const Vector & effort) noexcept
  {
    const Settings settings = settings_;
    *this = DynamicsCore();
    settings_ = acting_ = settings;
    for (std::size_t j = 0; j < JOINTS; ++j) {
      tau_[j] = std::isfinite(effort[j]) ? effort[j] : 0.0;
    }
  }

  // One cycle of dt [s]. `tau` gets the efforts unless the status is `waiting`. `contact`: something
  // was touched, and it is not forgotten yet.
  Status update(
    const Settings & settings, const Pose & at, const Vector & qd, const Reference & reference,
    double dt, Vector & tau, bool contact = false) noexcept
  {
    dt = std::isfinite(dt) && dt > 0.0 ? dt : 0.0;
    if (status_ == Status::waiting && accepts(settings)) {
      act(settings, false);
    }
    const Fault found = examine(at, qd, reference, dt);
    if (status_ == Status::waiting) {
      if (found != Fault::none) {
        return status_;
      }
      status_ = Status::running;
      goal_.at = at;
      dt = std::min(dt, STALE_TIME);
    }
    if (status_ == Status::running && found != Fault::none) {
      fail(found);
    }
    if (status_ == Status::running) {
      tau = lead(settings, reference, contact, dt);
      brake(tau);
      for (std::size_t j = 0; j < JOINTS; ++j) {
        if (!std::isfinite(tau[j])) {
          suspect_ = j;
          fail(Fault::not_finite);
          break;
        }
      }
    }
    if (status_ == Status::damping) {
      since_ += dt;
      tau = damping(qd);
      if (since_ > DAMPING_TIME) {
        status_ = Status::error;
      }
    }
    if (status_ == Status::error) {
      tau = tau_ = Vector{};
      return status_;
    }
    for (std::size_t j = 0; j < JOINTS; ++j) {
      const double limit = settings_.effort_limit[j], step = limit * dt / RATE_TIME;
      const double wanted = std::isfinite(tau[j]) ? std::clamp(tau[j], -limit, limit) : 0.0;
      tau[j] = std::clamp(wanted, tau_[j] - step, tau_[j] + step);
      tau[j] = std::clamp(tau[j], -limit, limit);   // where the limit was larger before
    }
    tau_ = tau;
    return status_;
  }

  Status status() const noexcept {return status_;}
  Fault fault() const noexcept {return fault_;}   // `settings` where others were refused
  std::size_t faulty_joint() const noexcept {return joint_;}
  const Settings & taken() const noexcept {return settings_;}   // the last valid settings

private:
  // Return whether settings are new and valid; if not valid, that is the fault.
  bool accepts(const Settings & settings) noexcept
  {
    if (judged_ && settings.generation == generation_) {
      return false;
    }
    judged_ = true;
    generation_ = settings.generation;
    fault_ = objection(settings) == nullptr ? Fault::none : Fault::settings;
    return fault_ == Fault::none;
  }

  // Return what is wrong with a state, and keep a valid one.
  Fault examine(
    const Pose & at, const Vector & qd, const Reference & reference, double dt) noexcept
  {
    const Vector & q = at.q;
    const bool first = status_ == Status::waiting;
    age_ += dt;   // of the last valid state
    Fault found = dt > STALE_TIME && !first ? Fault::stale : Fault::none;
    for (std::size_t j = 0; j < JOINTS && found == Fault::none; ++j) {
      const double limit = settings_.velocity_limit[j];
      suspect_ = j;
      if (!std::isfinite(q[j]) || !std::isfinite(qd[j])) {
        found = Fault::not_finite;
      } else if (!first &&
        std::abs(difference(j, q[j], at_.q[j])) > RUNAWAY * limit * age_ + JUMP_MARGIN[j])
      {
        found = Fault::jump;
      } else if (std::abs(qd[j]) > RUNAWAY * limit) {
        found = Fault::too_fast;
      }
    }
    if (found == Fault::not_finite || found == Fault::jump) {
      return found;
    }
    if (at.loops != Loops::closed) {
      return at.loops == Loops::singular ? Fault::singular : Fault::open;
    }
    // the same bits again: normal at rest, but not where velocity or reference say that it moves
    frozen_ = !first && q == at_.q && qd == qd_ ? frozen_ + dt : 0.0;
    for (std::size_t j = 0; j < JOINTS; ++j) {
      if (frozen_ == 0.0) {
        frozen_reference_[j] = reference.q[j];
      }
      const bool moves = std::abs(qd[j]) * STALE_TIME > 0.5 * JUMP_MARGIN[j] ||
        (acting_.mode != Mode::gravity &&
        std::abs(reference.q[j] - frozen_reference_[j]) > JUMP_MARGIN[j]);
      if (found == Fault::none && frozen_ > STALE_TIME && moves) {
        found = Fault::stale;
        suspect_ = j;
      }
    }
    at_ = at;
    qd_ = qd;
    age_ = 0.0;
    return found;
  }

  void fail(Fault found) noexcept
  {
    status_ = Status::damping;
    fault_ = found;
    joint_ = suspect_;
    since_ = 0.0;
  }

  // Complete the reference: positions are held or integrated, rates differentiated.
  void follow(const Reference & reference, double dt) noexcept
  {
    if (acting_.mode == Mode::gravity) {   // a later mode begins where the arm then is
      goal_ = Goal{at_, Vector{}, Vector{}};
      return;
    }
    Vector q{};
    const double share = dt / (dt + FILTER_TIME), per_second = dt > 1e-9 ? 1.0 / dt : 0.0;
    for (std::size_t j = 0; j < JOINTS; ++j) {
      const bool has_q = std::isfinite(reference.q[j]), has_qd = std::isfinite(reference.qd[j]);
      const double limit = settings_.velocity_limit[j], before = goal_.qd[j];
      if (has_qd) {
        goal_.qd[j] = std::clamp(reference.qd[j], -limit, limit);
      } else if (!has_q) {
        goal_.qd[j] = 0.0;
      } else {
        const double rate = difference(j, reference.q[j], goal_.at.q[j]) * per_second;
        goal_.qd[j] = nearer(before, std::clamp(rate, -limit, limit), share);
      }
      if (std::isfinite(reference.qdd[j])) {
        goal_.qdd[j] = reference.qdd[j];
      } else if (!has_qd) {
        goal_.qdd[j] = 0.0;   // a second difference would be noise
      } else {
        goal_.qdd[j] = nearer(goal_.qdd[j], (goal_.qd[j] - before) * per_second, share);
      }
      const double wanted = has_q ? reference.q[j] :
        goal_.at.q[j] + (has_qd ? goal_.qd[j] * dt : 0.0);
      q[j] = std::clamp(wanted, LOWER_LIMIT[j], UPPER_LIMIT[j]);
      if (q[j] != wanted) {
        goal_.qd[j] = goal_.qdd[j] = 0.0;
      }
    }
    if (approach(goal_.at, q, GOAL_MARGIN) != Loops::closed) {
      goal_.qd = goal_.qdd = Vector{};
    }
  }

  // Efforts of the law; since activation, gravity alone goes over to it.
  Vector begun() const noexcept
  {
    Vector tau = law(acting_, at_, qd_, goal_);
    if (activation_.left != 0.0) {
      Vector held{};
      gravity(at_, settings_.payload, held);
      for (std::size_t j = 0; j < JOINTS; ++j) {
        tau[j] += activation_.left * (held[j] - tau[j]);
      }
    }
    return tau;
  }

  // Take settings; after a contact, those of the reaction to it are what acts.
  void act(const Settings & settings, bool yields) noexcept
  {
    settings_ = acting_ = settings;
    yields_ = yields;
    if (yields) {
      acting_.mode = Mode::gravity;
      acting_.guiding_damping =
        settings.reaction == Reaction::damping ? BRAKE_RATE : settings.guiding_damping;
    }
  }

  // Follow the reference by the law, whose settings may change in this cycle.
  Vector lead(
    const Settings & settings, const Reference & reference, bool contact, double dt) noexcept
  {
    const double kept = std::exp(-FADE_RATE * dt);
    activation_.step(dt, kept, 1e-6);
    for (std::size_t j = 0; j < JOINTS; ++j) {
      offset_[j].step(dt, kept, 1e-9 * settings_.effort_limit[j]);
    }
    const Goal goal = goal_;
    follow(reference, dt);
    Vector tau = begun();
    const bool changes = accepts(settings), yielded = yields_;
    const bool yields =
      contact && (changes ? settings : settings_).reaction != Reaction::report;
    if (changes || yields != yields_) {
      const Vector before = tau;
      act(changes ? settings : Settings(settings_), yields);
      goal_ = goal;
      follow(reference, dt);
      tau = begun();
      for (std::size_t j = 0; j < JOINTS; ++j) {
        offset_[j].add(before[j] - tau[j]);
      }
    }
    if (yields && !yielded) {   // at once: nothing of the law before is left
      activation_ = Fading();
      offset_ = {};
      tau = begun();
    }
    for (std::size_t j = 0; j < JOINTS; ++j) {
      tau[j] += offset_[j].left;
    }
    return tau;
  }

  // Brake what is beyond its velocity limit; beyond a position limit is a critically damped spring.
  void brake(Vector & tau) const noexcept
  {
    Vector excess{};   // [rad/s or m/s]
    for (std::size_t j = 0; j < JOINTS; ++j) {
      const double limit = settings_.velocity_limit[j];
      const double q = at_.q[j], far = q - std::clamp(q, LOWER_LIMIT[j], UPPER_LIMIT[j]);
      excess[j] = qd_[j] - std::clamp(qd_[j], -limit, limit) + BRAKE_RATE * far +
        (far * qd_[j] > 0.0 ? 2.0 * qd_[j] : 0.0);
    }
    if (excess != Vector{}) {
      const Vector inertia = inertia_of_joints(at_, settings_.payload);
      for (std::size_t j = 0; j < JOINTS; ++j) {
        tau[j] -= BRAKE_RATE * inertia[j] * excess[j];
      }
    }
  }

  // Hold gravity at the last valid position, and brake the velocities that are finite.
  Vector damping(const Vector & qd) const noexcept
  {
    Vector tau{};
    gravity(at_, settings_.payload, tau);
    const Vector inertia = inertia_of_joints(at_, settings_.payload);
    for (std::size_t j = 0; j < JOINTS; ++j) {
      const bool known = std::isfinite(qd[j]) && fault_ != Fault::stale;
      tau[j] -= known ? BRAKE_RATE * inertia[j] * qd[j] : 0.0;
    }
    return tau;
  }

  Status status_ = Status::waiting;
  Fault fault_ = Fault::none;
  std::size_t joint_ = 0;         // with the fault
  std::size_t suspect_ = 0;       // that was examined last
  Pose at_{};                     // the last valid state
  Vector qd_{};
  double age_ = 0.0;              // [s] of that state
  double frozen_ = 0.0;           // [s] that it has not changed
  Vector frozen_reference_{};     // where the reference was then
  Goal goal_{};
  Settings settings_;             // valid ones
  Settings acting_;               // the same, or those of the reaction to a contact
  bool yields_ = false;           // to a contact
  bool judged_ = false;           // generation_ is that of the settings that were seen last
  unsigned generation_ = 0;
  Fading activation_{1.0, 0.0};   // share of gravity alone
  std::array<Fading, JOINTS> offset_{};   // from new laws to those before
  Vector tau_{};                  // efforts of the last cycle
  double since_ = 0.0;            // [s] since the fault
};

}  // namespace @package@

#endif  // @PACKAGE@__DYNAMICS_CORE_HPP_
