// What the controller and the broadcaster of '@robot@' have in common: the states that they read, the
// observer of external efforts, and what both tell of it: ~/state, state interfaces, the log.
#ifndef @PACKAGE@__MONITOR_HPP_
#define @PACKAGE@__MONITOR_HPP_

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "control_msgs/msg/dynamic_joint_state.hpp"
#include "controller_interface/chainable_controller_interface.hpp"
#include "controller_interface/version.h"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#if __has_include("realtime_tools/realtime_buffer.hpp")
#include "realtime_tools/realtime_buffer.hpp"
#include "realtime_tools/realtime_publisher.hpp"
#else   // until 2024
#include "realtime_tools/realtime_buffer.h"
#include "realtime_tools/realtime_publisher.h"
#endif
#include "std_srvs/srv/trigger.hpp"

#include "@package@/@package@_parameters.hpp"
#include "@package@/momentum_observer.hpp"

// Exported interfaces are shared pointers from Jazzy's 4.44, Kilted's 5.13 and Rolling's 6.5 on;
// before, they are pointers to numbers.
#define SHARED_INTERFACES \
  (CONTROLLER_INTERFACE_VERSION_GTE(6, 5, 0) || \
  (CONTROLLER_INTERFACE_VERSION_GTE(5, 13, 0) && !CONTROLLER_INTERFACE_VERSION_GTE(6, 0, 0)) || \
  (CONTROLLER_INTERFACE_VERSION_GTE(4, 44, 0) && !CONTROLLER_INTERFACE_VERSION_GTE(5, 0, 0)))
// A chainable controller exports states from Jazzy's 4.13 on.
#define EXPORTS_STATES CONTROLLER_INTERFACE_VERSION_GTE(4, 13, 0)

namespace @package@
{

// Return the value of an interface; the one before where somebody else holds its lock.
template<typename Interface>
double value_of(const Interface & interface, [[maybe_unused]] double before)
{
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 27, 0)
  return interface.get_optional().value_or(before);
#else
  return interface.get_value();
#endif
}

// Set the value of an interface; return whether it was set.
template<typename Interface>
bool set(Interface & interface, double value)
{
  if constexpr (std::is_void_v<decltype(interface.set_value(value))>) {   // Humble
    interface.set_value(value);
    return true;
  } else {
    return interface.set_value(value);
  }
}

// Give a message to the thread that publishes; return whether it takes it now.
template<typename Publisher, typename Message>
auto hand_over(Publisher & publisher, const Message & message, int)
-> decltype(publisher.try_publish(message))
{
  return publisher.try_publish(message);
}
template<typename Publisher, typename Message>
bool hand_over(Publisher & publisher, const Message & message, long)   // until 2025
{
  if (!publisher.trylock()) {
    return false;
  }
  publisher.msg_ = message;
  publisher.unlockAndPublish();
  return true;
}

class Monitor
{
public:
  using Parameters = @robot@_dynamics_parameters::Params;

  // Of each joint in ~/state; those from the third on are exported, too.
  static constexpr std::array<const char *, 7> VALUES{
    "position", "effort", "gravity", "friction", "model_effort", "external_effort", "contact"};
  static constexpr std::size_t EXPORTED = 2;

  // Names of the state interfaces to claim: for each joint its position, velocity, and what is chosen.
  static std::vector<std::string> claimed(const Parameters & parameters)
  {
    std::vector<std::string> names;
    for (const std::string joint : JOINT_NAMES) {
      names.push_back(joint + "/position");
      names.push_back(joint + "/velocity");
      for (const auto & each : {parameters.measured.effort, parameters.measured.acceleration}) {
        if (!each.empty()) {
          names.push_back(joint + "/" + each);
        }
      }
    }
    return names;
  }

  // Open the topic and the service; not in the control loop.
  void open(rclcpp_lifecycle::LifecycleNode & node, const Parameters & parameters)
  {
    has_effort_ = !parameters.measured.effort.empty();
    has_acceleration_ = !parameters.measured.acceleration.empty();
    std::copy_n(parameters.measured.effort_gains.begin(), JOINTS, gains_.begin());
    period_ = parameters.state_rate > 0.0 ? 1.0 / parameters.state_rate : UNLIMITED;
    message_.joint_names.assign(JOINT_NAMES.begin(), JOINT_NAMES.end());
    message_.interface_values.resize(JOINTS);
    for (auto & values : message_.interface_values) {
      values.interface_names.assign(VALUES.begin(), VALUES.end());
      values.values.assign(VALUES.size(), NONE);
    }
    publisher_ = std::make_unique<Publisher>(
      node.create_publisher<Message>("~/state", rclcpp::SystemDefaultsQoS()));
    // a first message, of nothing: from now on none allocates
    for (int k = 0; k < 1000 && !hand_over(*publisher_, message_, 0); ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    service_ = node.create_service<std_srvs::srv::Trigger>(
      "~/reset_contact", [this](
        const std::shared_ptr<std_srvs::srv::Trigger::Request>,
        const std::shared_ptr<std_srvs::srv::Trigger::Response> response)
      {
        response->success = true;
        response->message = touched_ < 0 ? "there was no contact" : "forgotten";
        forget_ = true;
      });
  }

  void close()
  {
    publisher_.reset();
    service_.reset();
  }

  // Forget every sample and contact.
  void reset()
  {
    observer_.reset();
    q = qd = effort = qdd = filled(NONE);
    at = closed_ = Pose();
    touched_ = reported_ = -1;
    since_ = 0.0;
  }

  // Read the states that were claimed, and observe; dt [s] since the last cycle.
  template<typename States>
  void read(const States & states, const Payload & payload, double dt) noexcept
  {
    const std::size_t each = 2U + has_effort_ + has_acceleration_;
    for (std::size_t j = 0; j < JOINTS; ++j) {
      q[j] = value_of(states[each * j], q[j]);
      qd[j] = value_of(states[each * j + 1], qd[j]);
      effort[j] = has_effort_ ? gains_[j] * value_of(states[each * j + 2], effort[j] / gains_[j]) :
        NONE;
      qdd[j] = has_acceleration_ ? value_of(states[each * j + each - 1], qdd[j]) : NONE;
    }
    if (forget_.exchange(false)) {
      observer_.forget_contacts();
      touched_ = -1;
    }
    const Loops loops = approach(closed_, q);
    at = Pose{q, closed_.passive, loops, REACH};
    loops_ = loops;
    observer_.update(at, qd, effort, payload, dt);
    for (std::size_t j = 0; j < JOINTS && touched_ < 0; ++j) {
      touched_ = observer_.touched(j) ? static_cast<int>(j) : -1;
    }
  }

  bool contact() const noexcept {return observer_.contact();}

  // Tell what was read, and the efforts [N m or N] that are commanded or measured.
  void tell(const rclcpp::Time & time, const Vector & efforts, const Payload & payload, double dt)
  {
    Vector links = observer_.gravity_effort();
    if (has_acceleration_) {
      inverse_dynamics(at, qd, qdd, payload, links);
    }
    for (std::size_t j = 0; j < JOINTS; ++j) {
      const double row[] = {q[j], efforts[j], observer_.gravity_effort()[j],
        observer_.friction_effort()[j], links[j] + observer_.friction_effort()[j],
        observer_.external()[j], observer_.touched(j) ? 1.0 : 0.0};
      std::copy_n(row, VALUES.size(), message_.interface_values[j].values.begin());
#if SHARED_INTERFACES
      for (std::size_t k = EXPORTED; k < VALUES.size() && !exported_.empty(); ++k) {
        set(*exported_[j * (VALUES.size() - EXPORTED) + k - EXPORTED], row[k]);
      }
#elif EXPORTS_STATES
      std::copy_n(row + EXPORTED, VALUES.size() - EXPORTED, exported_[j].begin());
#endif
    }
    since_ += dt;
    message_.header.stamp = time;
    if (since_ >= period_ && hand_over(*publisher_, message_, 0)) {
      since_ = 0.0;
    }
  }

  // Log a contact that is new, and loops that are not closed; not in the control loop.
  void report(const rclcpp::Logger & logger)
  {
    const Loops loops = loops_;
    if (!said_ && (loops == Loops::open || loops == Loops::singular)) {
      RCLCPP_WARN(
        logger, "closed loops %s where the joints are: nothing is computed there",
        loops == Loops::open ? "do not close" : "are singular");
    }
    said_ = loops != Loops::closed && (said_ || loops != Loops::away);
    const int joint = touched_;
    if (joint >= 0 && reported_ < 0) {
      RCLCPP_WARN(
        logger, "contact at joint %s; ~/reset_contact forgets it",
        JOINT_NAMES[static_cast<std::size_t>(joint)]);
    }
    reported_ = joint;
  }

#if SHARED_INTERFACES
  std::vector<hardware_interface::StateInterface::SharedPtr> exported(const std::string & name)
  {
    exported_.clear();
    for (const std::string joint : JOINT_NAMES) {
      for (std::size_t k = EXPORTED; k < VALUES.size(); ++k) {
        exported_.push_back(
          std::make_shared<hardware_interface::StateInterface>(name + "/" + joint, VALUES[k]));
      }
    }
    return exported_;
  }
#elif EXPORTS_STATES
  std::vector<hardware_interface::StateInterface> exported(const std::string & name)
  {
    std::vector<hardware_interface::StateInterface> interfaces;
    for (std::size_t j = 0; j < JOINTS; ++j) {
      for (std::size_t k = EXPORTED; k < VALUES.size(); ++k) {
        interfaces.emplace_back(
          name, std::string(JOINT_NAMES[j]) + "/" + VALUES[k], &exported_[j][k - EXPORTED]);
      }
    }
    return interfaces;
  }
#endif

  Vector q{}, qd{}, effort{}, qdd{};   // the last states; NaN: not known
  Pose at{};                           // with what closes the loops there

private:
  using Message = control_msgs::msg::DynamicJointState;
  using Publisher = realtime_tools::RealtimePublisher<Message>;

  MomentumObserver observer_;
  Pose closed_;   // the last one
  bool has_effort_ = false, has_acceleration_ = false;   // among the states
  Vector gains_ = filled(1.0);   // effort of a unit of that state
  double period_ = 0.01, since_ = 0.0;   // [s] of messages, and since the last one
  Message message_;
  std::unique_ptr<Publisher> publisher_;
  rclcpp::Service<std_srvs::srv::Trigger>::SharedPtr service_;
#if SHARED_INTERFACES
  std::vector<hardware_interface::StateInterface::SharedPtr> exported_;
#elif EXPORTS_STATES
  std::array<std::array<double, VALUES.size() - EXPORTED>, JOINTS> exported_{};
#endif
  std::atomic<bool> forget_{false};   // the contacts
  std::atomic<int> touched_{-1};      // joint that was touched first
  int reported_ = -1;
  std::atomic<Loops> loops_{Loops::closed};
  bool said_ = false;            // that they are not closed
};

// Payload of the parameters.
inline Payload payload_of(const Monitor::Parameters & parameters)
{
  Payload payload{};
  payload[0] = parameters.payload.mass;
  std::copy_n(parameters.payload.com.begin(), 3, payload.begin() + 1);
  std::copy_n(parameters.payload.inertia.begin(), 6, payload.begin() + 4);
  return payload;
}

}  // namespace @package@

#endif  // @PACKAGE@__MONITOR_HPP_
