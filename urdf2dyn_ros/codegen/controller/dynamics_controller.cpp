// Between ros2_control and DynamicsCore: interfaces, parameters and the topic of references.
//
// update_and_write_commands runs in the control loop: it takes what a timer and a subscription left
// in buffers, and never waits, allocates or throws. All that does is in the timer.
#include "@package@/dynamics_controller.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "pluginlib/class_list_macros.hpp"

namespace @package@
{

using controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::interface_configuration_type;
using controller_interface::return_type;

namespace
{
constexpr std::array<const char *, 3> REFERENCES{"position", "velocity", "acceleration"};
constexpr std::chrono::milliseconds PERIOD{20};   // at which changes of parameters are looked for

template<typename Values>
void copy(const Values & values, Vector & vector)
{
  std::copy_n(values.begin(), std::min(values.size(), vector.size()), vector.begin());
}
}  // namespace

CallbackReturn DynamicsController::on_init()
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

InterfaceConfiguration DynamicsController::command_interface_configuration() const
{
  InterfaceConfiguration claimed{interface_configuration_type::INDIVIDUAL, {}};
  for (const char * joint : JOINT_NAMES) {
    claimed.names.push_back(std::string(joint) + "/" + parameters_.command_interface);
  }
  return claimed;
}

InterfaceConfiguration DynamicsController::state_interface_configuration() const
{
  return {interface_configuration_type::INDIVIDUAL, Monitor::claimed(parameters_)};
}

CallbackReturn DynamicsController::on_configure(const rclcpp_lifecycle::State &)
{
  copy(parameters_.command_gains, gains_);
  if (std::any_of(gains_.begin(), gains_.end(), [](double gain) {
      return gain == 0.0 || !std::isfinite(gain);
    }))
  {
    RCLCPP_ERROR(get_node()->get_logger(), "command_gains: a gain must be a number other than 0");
    return CallbackReturn::FAILURE;
  }
  monitor_.open(*get_node(), parameters_);
  generation_ = 0;
  read_parameters();
  timer_ = get_node()->create_wall_timer(
    PERIOD, [this]() {
      if (listener_->is_old(parameters_)) {
        read_parameters();
      }
      report_fault();
      monitor_.report(get_node()->get_logger());
    });
  subscription_ = get_node()->create_subscription<trajectory_msgs::msg::JointTrajectoryPoint>(
    "~/reference", rclcpp::SystemDefaultsQoS(),
    [this](const trajectory_msgs::msg::JointTrajectoryPoint & point) {receive(point);});
  return CallbackReturn::SUCCESS;
}

CallbackReturn DynamicsController::on_cleanup(const rclcpp_lifecycle::State &)
{
  monitor_.close();
  timer_.reset();
  subscription_.reset();
  return CallbackReturn::SUCCESS;
}

void DynamicsController::read_parameters()
{
  parameters_ = listener_->get_params();
  Settings settings;
  settings.mode = parameters_.mode == "computed_torque" ? Mode::computed_torque :
    parameters_.mode == "feedforward" ? Mode::feedforward : Mode::gravity;
  settings.reaction = parameters_.contact.reaction == "damping" ? Reaction::damping :
    parameters_.contact.reaction == "gravity" ? Reaction::gravity : Reaction::report;
  settings.kp = parameters_.kp;
  settings.kd = parameters_.kd;
  settings.largest_error = parameters_.largest_error;
  settings.guiding_friction = parameters_.guiding_friction;
  settings.guiding_damping = parameters_.guiding_damping;
  settings.dead_band = parameters_.dead_band;
  copy(parameters_.effort_limits, settings.effort_limit);
  copy(parameters_.velocity_limits, settings.velocity_limit);
  settings.payload = payload_of(parameters_);
  settings.generation = ++generation_;
  settings_.writeFromNonRT(settings);
}

void DynamicsController::report_fault()
{
  const Fault fault = fault_;
  if (fault != reported_ && fault == Fault::settings) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", description(fault));
  } else if (fault != reported_ && fault != Fault::none) {
    const bool of_loops = fault == Fault::open || fault == Fault::singular;
    RCLCPP_ERROR(
      get_node()->get_logger(), "%s%s: %s; motion is damped, then efforts are 0 until the "
      "controller is activated again", of_loops ? "closed loops" : "joint ",
      of_loops ? "" : JOINT_NAMES[faulty_joint_], description(fault));
  }
  reported_ = fault;
}

void DynamicsController::receive(const trajectory_msgs::msg::JointTrajectoryPoint & point)
{
  Target target;
  for (const auto & values : {&point.positions, &point.velocities, &point.accelerations}) {
    if (!values->empty() && values->size() != JOINTS) {
      RCLCPP_WARN(
        get_node()->get_logger(), "~/reference: %zu numbers instead of %zu, in the order of the "
        "joints, or none; the message is ignored", values->size(), JOINTS);
      return;
    }
  }
  copy(point.positions, target.reference.q);
  copy(point.velocities, target.reference.qd);
  copy(point.accelerations, target.reference.qdd);
  target.number = messages_ + 1;
  target_.writeFromNonRT(target);
  messages_ = target.number;
}

CallbackReturn DynamicsController::on_activate(const rclcpp_lifecycle::State &)
{
  Vector effort{};
  for (std::size_t j = 0; j < JOINTS; ++j) {   // what another controller commanded last
    effort[j] = gains_[j] * value_of(command_interfaces_[j], NONE);
  }
  core_.reset(effort);
  monitor_.reset();
  forget_reference();
  reference_ = Reference();
  seen_ = messages_;
  fault_ = Fault::none;
  return CallbackReturn::SUCCESS;
}

CallbackReturn DynamicsController::on_deactivate(const rclcpp_lifecycle::State &)
{
  for (auto & command : command_interfaces_) {
    set(command, 0.0);
  }
  forget_reference();
  return CallbackReturn::SUCCESS;
}

return_type DynamicsController::update_and_write_commands(
  const rclcpp::Time & time, const rclcpp::Duration & period)
{
  const double dt = period.seconds();
  const Settings & settings = *settings_.readFromRT();
  const Payload & payload = core_.taken().payload;
  monitor_.read(state_interfaces_, payload, dt);
  const Status status = core_.update(
    settings, monitor_.at, monitor_.qd, read_reference(dt), dt, tau_, monitor_.contact());
  monitor_.tell(time, tau_, payload, dt);
  if (status == Status::waiting) {
    return return_type::OK;
  }
  faulty_joint_ = core_.faulty_joint();
  fault_ = core_.fault();
  bool written = true;
  for (std::size_t j = 0; j < JOINTS; ++j) {
    written = set(command_interfaces_[j], tau_[j] / gains_[j]) && written;
  }
  return written && status != Status::error ? return_type::OK : return_type::ERROR;
}

const Reference & DynamicsController::read_reference(double period)
{
  if (is_in_chained_mode()) {
    for (std::size_t j = 0; j < JOINTS; ++j) {
      reference_.q[j] = reference_value(3 * j);
      reference_.qd[j] = reference_value(3 * j + 1);
      reference_.qdd[j] = reference_value(3 * j + 2);
    }
    return reference_;
  }
  age_ += period;
  if (messages_ != seen_) {
    const Target & target = *target_.readFromRT();
    if (target.number != seen_) {   // or it is being written
      seen_ = target.number;
      age_ = 0.0;
      reference_ = target.reference;
    }
  }
  if (age_ > STALE_TIME) {   // the sender is gone: its last position is held
    reference_.qd = reference_.qdd = filled(NONE);
  }
  return reference_;
}

#if SHARED_INTERFACES
std::vector<hardware_interface::CommandInterface::SharedPtr>
DynamicsController::on_export_reference_interfaces_list()
{
  std::vector<hardware_interface::CommandInterface::SharedPtr> references;
  for (const char * joint : JOINT_NAMES) {
    for (const char * what : REFERENCES) {
      references.push_back(
        std::make_shared<hardware_interface::CommandInterface>(
          std::string(get_node()->get_name()) + "/" + joint, what));
    }
  }
  return references;
}

double DynamicsController::reference_value(std::size_t k) const
{
  const std::size_t j = k / 3;
  const std::array<const Vector *, 3> before{&reference_.q, &reference_.qd, &reference_.qdd};
  return value_of(*ordered_exported_reference_interfaces_[k], (*before[k % 3])[j]);
}

void DynamicsController::forget_reference()
{
  for (auto & reference : ordered_exported_reference_interfaces_) {
    set(*reference, NONE);
  }
}
#else
std::vector<hardware_interface::CommandInterface>
DynamicsController::on_export_reference_interfaces()
{
  reference_interfaces_.assign(3 * JOINTS, NONE);
  std::vector<hardware_interface::CommandInterface> references;
  for (std::size_t k = 0; k < 3 * JOINTS; ++k) {
    references.emplace_back(
      get_node()->get_name(), std::string(JOINT_NAMES[k / 3]) + "/" + REFERENCES[k % 3],
      &reference_interfaces_[k]);
  }
  return references;
}

double DynamicsController::reference_value(std::size_t k) const {return reference_interfaces_[k];}

void DynamicsController::forget_reference()
{
  std::fill(reference_interfaces_.begin(), reference_interfaces_.end(), NONE);
}
#endif

// The topic ~/reference is read together with the state, in read_reference.
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 0, 0)
return_type DynamicsController::update_reference_from_subscribers(
  const rclcpp::Time &, const rclcpp::Duration &)
#else
return_type DynamicsController::update_reference_from_subscribers()
#endif
{
  return return_type::OK;
}

}  // namespace @package@

PLUGINLIB_EXPORT_CLASS(
  @package@::DynamicsController, controller_interface::ChainableControllerInterface)
