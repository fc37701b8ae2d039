// What the model of '@robot@' says of an arm whose maker closes the loop, @origin@.
#ifndef @PACKAGE@__DYNAMICS_BROADCASTER_HPP_
#define @PACKAGE@__DYNAMICS_BROADCASTER_HPP_

#include <memory>
#include <vector>

#if __has_include("controller_interface/controller_interface.hpp")
#include "controller_interface/controller_interface.hpp"
#endif

#include "@package@/monitor.hpp"

namespace @package@
{

// From Jazzy's 4.13 on its states can be read by other controllers.
#if EXPORTS_STATES
using BroadcasterBase = controller_interface::ChainableControllerInterface;
#else
using BroadcasterBase = controller_interface::ControllerInterface;
#endif

// Claims states alone, and tells efforts of the model, external efforts and contacts.
class DynamicsBroadcaster : public BroadcasterBase
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

#if EXPORTS_STATES
  controller_interface::return_type update_and_write_commands(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

protected:
  controller_interface::return_type update_reference_from_subscribers(
    const rclcpp::Time &, const rclcpp::Duration &) override
  {
    return controller_interface::return_type::OK;
  }
#if SHARED_INTERFACES
  std::vector<hardware_interface::StateInterface::SharedPtr>
  on_export_state_interfaces_list() override {return monitor_.exported(get_node()->get_name());}
  std::vector<hardware_interface::StateInterface> on_export_state_interfaces() override {return {};}
  std::vector<hardware_interface::CommandInterface::SharedPtr>
  on_export_reference_interfaces_list() override {return {};}
#else
  std::vector<hardware_interface::StateInterface> on_export_state_interfaces() override
  {
    return monitor_.exported(get_node()->get_name());
  }
#endif
  std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() override
  {
    return {};
  }
  bool on_set_chained_mode(bool) override {return true;}
#else   // Humble
  controller_interface::return_type update(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;
#endif

private:
  std::shared_ptr<@robot@_dynamics_parameters::ParamListener> listener_;
  @robot@_dynamics_parameters::Params parameters_;
  rclcpp::TimerBase::SharedPtr timer_;
  realtime_tools::RealtimeBuffer<Payload> payload_;   // written by the timer
  Monitor monitor_;
};

}  // namespace @package@

#endif  // @PACKAGE@__DYNAMICS_BROADCASTER_HPP_
