// Between ros2_control and Monitor: a controller that commands nothing.
#include "@package@/dynamics_broadcaster.hpp"

#include <chrono>

#include "pluginlib/class_list_macros.hpp"

namespace @package@
{

using controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::interface_configuration_type;
using controller_interface::return_type;

CallbackReturn DynamicsBroadcaster::on_init()
{
  try {
    listener_ = std::make_shared<@robot@_dynamics_parameters::ParamListener>(get_node());
    parameters_ = listener_->get_params();
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "invalid parameters: %s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

InterfaceConfiguration DynamicsBroadcaster::command_interface_configuration() const
{
  return {interface_configuration_type::NONE, {}};
}

InterfaceConfiguration DynamicsBroadcaster::state_interface_configuration() const
{
  return {interface_configuration_type::INDIVIDUAL, Monitor::claimed(parameters_)};
}

CallbackReturn DynamicsBroadcaster::on_configure(const rclcpp_lifecycle::State &)
{
  monitor_.open(*get_node(), parameters_);
  payload_.writeFromNonRT(payload_of(parameters_));
  timer_ = get_node()->create_wall_timer(
    std::chrono::milliseconds(20), [this]() {
      if (listener_->is_old(parameters_)) {
        parameters_ = listener_->get_params();
        payload_.writeFromNonRT(payload_of(parameters_));
      }
      monitor_.report(get_node()->get_logger());
    });
  return CallbackReturn::SUCCESS;
}

CallbackReturn DynamicsBroadcaster::on_cleanup(const rclcpp_lifecycle::State &)
{
  monitor_.close();
  timer_.reset();
  return CallbackReturn::SUCCESS;
}

CallbackReturn DynamicsBroadcaster::on_activate(const rclcpp_lifecycle::State &)
{
  monitor_.reset();
  return CallbackReturn::SUCCESS;
}

CallbackReturn DynamicsBroadcaster::on_deactivate(const rclcpp_lifecycle::State &)
{
  return CallbackReturn::SUCCESS;
}

#if EXPORTS_STATES
return_type DynamicsBroadcaster::update_and_write_commands(
#else
return_type DynamicsBroadcaster::update(
#endif
  const rclcpp::Time & time, const rclcpp::Duration & period)
{
  const Payload & payload = *payload_.readFromRT();
  monitor_.read(state_interfaces_, payload, period.seconds());
  monitor_.tell(time, monitor_.effort, payload, period.seconds());
  return return_type::OK;
}

}  // namespace @package@

PLUGINLIB_EXPORT_CLASS(@package@::DynamicsBroadcaster, @package@::BroadcasterBase)
