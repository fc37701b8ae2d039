// The controller of '@robot@' for ros2_control, @origin@.
#ifndef @PACKAGE@__DYNAMICS_CONTROLLER_HPP_
#define @PACKAGE@__DYNAMICS_CONTROLLER_HPP_

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "controller_interface/chainable_controller_interface.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/state.hpp"
#include "trajectory_msgs/msg/joint_trajectory_point.hpp"

#include "@package@/dynamics_core.hpp"
#include "@package@/monitor.hpp"

namespace @package@
{

// Claims position and velocity of all joints, and efforts where they are measured; commands their
// efforts (or currents); offers <controller>/<joint>/position, velocity and acceleration to a
// controller in front of it, and what it observes as states.
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
#if SHARED_INTERFACES
  std::vector<hardware_interface::CommandInterface::SharedPtr>
  on_export_reference_interfaces_list() override;
#else
  std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() override;
#endif
#if SHARED_INTERFACES
  std::vector<hardware_interface::StateInterface::SharedPtr>
  on_export_state_interfaces_list() override {return monitor_.exported(get_node()->get_name());}
  std::vector<hardware_interface::StateInterface> on_export_state_interfaces() override {return {};}
#elif EXPORTS_STATES
  std::vector<hardware_interface::StateInterface> on_export_state_interfaces() override
  {
    return monitor_.exported(get_node()->get_name());
  }
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
  Monitor monitor_;
  Vector gains_ = filled(1.0);   // effort of a unit of the command, [N m/A] for a current
  Vector tau_{};
  Reference reference_;
  unsigned seen_ = 0;            // number of the target that was read last
  double age_ = 0.0;             // [s] of that target
  std::atomic<Fault> fault_{Fault::none};
  std::atomic<std::size_t> faulty_joint_{0};
  Fault reported_ = Fault::none;
};

}  // namespace @package@

#endif  // @PACKAGE@__DYNAMICS_CONTROLLER_HPP_
