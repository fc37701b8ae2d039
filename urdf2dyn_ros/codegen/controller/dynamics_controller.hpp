// The controller of '@robot@' for ros2_control, @origin@.
#ifndef @PACKAGE@__DYNAMICS_CONTROLLER_HPP_
#define @PACKAGE@__DYNAMICS_CONTROLLER_HPP_

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "controller_interface/chainable_controller_interface.hpp"
#include "controller_interface/version.h"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/state.hpp"
#include "realtime_tools/realtime_buffer.hpp"
#include "trajectory_msgs/msg/joint_trajectory_point.hpp"

#include "@package@/@package@_parameters.hpp"
#include "@package@/dynamics_core.hpp"

// References are shared pointers from Jazzy's 4.44, Kilted's 5.13 and Rolling's 6.5 on; before, they
// are pointers into reference_interfaces_.
#define SHARED_REFERENCES \
  (CONTROLLER_INTERFACE_VERSION_GTE(6, 5, 0) || \
  (CONTROLLER_INTERFACE_VERSION_GTE(5, 13, 0) && !CONTROLLER_INTERFACE_VERSION_GTE(6, 0, 0)) || \
  (CONTROLLER_INTERFACE_VERSION_GTE(4, 44, 0) && !CONTROLLER_INTERFACE_VERSION_GTE(5, 0, 0)))

namespace @package@
{

// Claims position and velocity of all joints, commands their efforts (or currents), and offers
// <controller>/<joint>/position, velocity and acceleration to a controller in front of it.
class DynamicsController : public controller_interface::ChainableControllerInterface
{
public:
  controller_interface::CallbackReturn on_init() override;
  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;
  controller_interface::CallbackReturn on_configure(
    const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_cleanup(
    const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_activate(
    const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_deactivate(
    const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::return_type update_and_write_commands(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

protected:
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 0, 0)
  controller_interface::return_type update_reference_from_subscribers(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;
#else   // Humble
  controller_interface::return_type update_reference_from_subscribers() override;
#endif
#if SHARED_REFERENCES
  std::vector<hardware_interface::CommandInterface::SharedPtr>
  on_export_reference_interfaces_list() override;
#else
  std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() override;
#endif
  bool on_set_chained_mode(bool) override {return true;}

private:
  struct Target   // of the topic ~/reference
  {
    Reference reference;
    unsigned number = 0;   // of the message
  };

  void read_parameters();
  void report_fault();
  void receive(const trajectory_msgs::msg::JointTrajectoryPoint & point);
  const Reference & read_reference(double period);
  double reference_value(std::size_t k) const;
  void forget_reference();

  std::shared_ptr<@robot@_dynamics_parameters::ParamListener> listener_;
  @robot@_dynamics_parameters::Params parameters_;
  rclcpp::TimerBase::SharedPtr timer_;
  rclcpp::Subscription<trajectory_msgs::msg::JointTrajectoryPoint>::SharedPtr subscription_;

  // written outside of the control loop, read in it without waiting
  realtime_tools::RealtimeBuffer<Settings> settings_;
  realtime_tools::RealtimeBuffer<Target> target_;
  unsigned generation_ = 0;               // of the settings
  std::atomic<unsigned> messages_{0};     // that target_ has had

  DynamicsCore core_;
  Vector gains_ = filled(1.0);   // effort of a unit of the command, [N m/A] for a current
  Vector q_{}, qd_{}, tau_{};
  Reference reference_;
  unsigned seen_ = 0;            // number of the target that was read last
  double age_ = 0.0;             // [s] of that target
  std::atomic<Fault> fault_{Fault::none};
  std::atomic<std::size_t> faulty_joint_{0};
  Fault reported_ = Fault::none;
};

}  // namespace @package@

#endif  // @PACKAGE@__DYNAMICS_CONTROLLER_HPP_
