// External efforts of '@robot@' without accelerations, and the contacts that they show; the same
// numbers as the observer of urdf2dyn_ros.
//
// The momentum p = M(q) qd changes by d/dt p = tau + tau_ext + beta - load, where tau are the
// measured efforts and load those of gravity and friction. So the change of p from a sample to the
// next gives the mean of tau_ext between them, and the residual follows it as a filter of first
// order (De Luca, Mattone 2003). Of a joint that may stick, friction is anything up to its level:
// the same filter on that level bounds what the residual has of it, and a contact is beyond that.
#ifndef @PACKAGE@__MOMENTUM_OBSERVER_HPP_
#define @PACKAGE@__MOMENTUM_OBSERVER_HPP_

#include <array>
#include <cmath>
#include <cstddef>

#include "@package@/equations.hpp"

namespace @package@
{

// Times and shares of the observer and its contacts: defaults of the generator.
inline constexpr double LONGEST_STEP = 0.1;       // [s] after which the observer begins anew
inline constexpr double CONTACT_TIME = 0.005;     // [s] that a contact lasts at least
inline constexpr double CONTACT_RELEASE = 0.5;    // [-] share of its threshold at which it ends
inline constexpr double STICKING = 5.0;   // [-] widths of friction's sign up to which it may stick

// Members neither allocate, lock nor throw.
class MomentumObserver
{
public:
  // Forget every sample, and the contacts.
  void reset() noexcept {*this = MomentumObserver();}

  // Add a sample, dt [s] after the last one; an effort that is not measured is NaN. A payload that
  // changes is counted in the momentum of the last sample, too: nothing is reset.
  void update(
    const Pose & at, const Vector & qd, const Vector & effort, const Payload & payload,
    double dt) noexcept
  {
    const bool follows = finite_ && dt > 0.0 && dt <= LONGEST_STEP;
    Vector beta{}, unused{};
    if (follows && payload != payload_) {
      momentum(at_, qd_, payload, p_, beta, unused);
    }
    const Vector p_before = p_, known_before = known_;
    at_ = at;
    qd_ = qd;
    payload_ = payload;
    momentum(at, qd, payload, p_, beta, gravity_);
    friction_ = friction(qd, gravity_);
    Vector level{};   // of friction where it may stick
    for (const Friction & row : FRICTION) {
      if (std::abs(row.ratio * qd[row.joint]) < STICKING * row.width) {
        level[row.joint] += std::abs(row.ratio) * (row.coulomb + row.stribeck);
      }
    }
    finite_ = at.loops == Loops::closed;
    for (std::size_t j = 0; j < JOINTS; ++j) {
      known_[j] = effort[j] + beta[j] - gravity_[j] - friction_[j];
      finite_ = finite_ && std::isfinite(at.q[j]) && std::isfinite(qd[j]);
    }
    double gained = 0.0;
    for (std::size_t j = 0; j < JOINTS; ++j) {
      const double mean = (p_[j] - p_before[j]) / dt - 0.5 * (known_[j] + known_before[j]);
      if (j == 0 || OBSERVER_GAIN[j] != OBSERVER_GAIN[j - 1]) {
        gained = -std::expm1(-OBSERVER_GAIN[j] * dt);
      }
      const double next = nearer(residual_[j], mean, gained);
      undetermined_[j] = !finite_ ? 0.0 : !follows ? level[j] :
        nearer(undetermined_[j], level[j], gained);
      const bool known = follows && finite_ && std::isfinite(next);
      residual_[j] = known ? next : 0.0;
      external_[j] = known ? next : NONE;
      touch(j, std::abs(external_[j]) - undetermined_[j], dt);
    }
  }

  const Vector & external() const noexcept {return external_;}   // [N m or N]; NaN: not known
  const Vector & gravity_effort() const noexcept {return gravity_;}   // with springs
  const Vector & friction_effort() const noexcept {return friction_;}
  const Vector & undetermined() const noexcept {return undetermined_;}   // friction in external()
  bool touched(std::size_t joint) const noexcept {return touched_[joint];}

  // Whether there was a contact since it was forgotten.
  bool contact() const noexcept {return touched_ != std::array<bool, JOINTS>{};}
  void forget_contacts() noexcept {touched_ = {};}   // one that lasts is found again at once

private:
  // A contact begins above its threshold and ends at half of it; it counts when it has lasted.
  void touch(std::size_t j, double size, double dt) noexcept
  {
    lasts_[j] = lasts_[j] >= 0.0 && size > CONTACT_RELEASE * CONTACT_THRESHOLD[j] ? lasts_[j] + dt :
      size > CONTACT_THRESHOLD[j] ? 0.0 : -1.0;
    touched_[j] = touched_[j] || lasts_[j] >= CONTACT_TIME - 1e-9;
  }

  Pose at_{};                      // the last sample
  Vector qd_{};
  Payload payload_{};
  bool finite_ = false;            // that sample
  Vector p_{}, known_{}, gravity_{}, friction_{};   // of it
  Vector undetermined_{};
  Vector residual_{}, external_ = filled(NONE);
  Vector lasts_ = filled(-1.0);    // [s] that a contact lasts; negative: there is none
  std::array<bool, JOINTS> touched_{};
};

}  // namespace @package@

#endif  // @PACKAGE@__MOMENTUM_OBSERVER_HPP_
