// Drives the controller class as controller_manager does, and prints what went wrong.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <new>

#include "standins.hpp"

#include PACKAGE_CORE   // "<package>/dynamics_core.hpp"

namespace robot = PACKAGE;

static long allocations = 0;
extern "C" void * __libc_malloc(std::size_t);
extern "C" void * malloc(std::size_t size)
{
  ++allocations;
  return __libc_malloc(size);
}

namespace
{
using controller_interface::CallbackReturn;
using controller_interface::return_type;
using robot::JOINTS;
using robot::Vector;

int failures = 0;

void expect(bool holds, const char * what)
{
  if (!holds) {
    std::printf("not so: %s\n", what);
    ++failures;
  }
}

bool near(const Vector & found, const Vector & expected, double tolerance = 1e-6)
{
  double largest = 1.0, difference = 0.0;
  for (std::size_t j = 0; j < JOINTS; ++j) {
    largest = std::max(largest, std::abs(expected[j]));
    difference = std::max(difference, std::abs(found[j] - expected[j]));
  }
  return difference <= tolerance * largest;
}

const double NONE = std::numeric_limits<double>::quiet_NaN();
Vector within_limits()
{
  Vector result{};
  for (std::size_t j = 0; j < robot::JOINTS; ++j) {
    result[j] = std::clamp(robot::START[j] + 0.1, robot::LOWER_LIMIT[j], robot::UPPER_LIMIT[j]);
  }
  return result;
}
Vector q = within_limits(), qd{}, command = robot::filled(NONE);
long in_updates = 0;
double largest_rate = 0.0;   // of commands, in efforts limits per second
auto load_plugin(const char * name) {return plugins.at(std::string(PACKAGE_NAME "::") + name);}
std::shared_ptr<controller_interface::ChainableControllerInterface> controller;
const rclcpp_lifecycle::State state;

return_type cycle(double dt = 0.001)
{
  const Vector before = command;
  const rclcpp::Duration period(dt);
  const long allocated = allocations;
  const return_type result = controller->update(rclcpp::Time(), period);
  in_updates += allocations - allocated;
  for (std::size_t j = 0; j < JOINTS; ++j) {
    const double rate = std::abs(command[j] - before[j]) / dt / robot::EFFORT_LIMIT[j];
    largest_rate = std::isfinite(before[j]) ? std::max(largest_rate, rate) : largest_rate;
  }
  return result;
}

return_type run(double seconds)
{
  return_type result = return_type::OK;
  for (double t = 0.0; t < seconds && result == return_type::OK; t += 0.001) {
    result = cycle();
  }
  return result;
}

std::string set_parameter(const char * name, const rclcpp::Parameter::Value & value)
{
  const std::string refusal = controller->get_node()->set_parameter({name, value}).reason;
  controller->get_node()->timer->callback();
  return refusal;
}

void set_parameter_before(const char * name, const rclcpp::Parameter::Value & value)
{
  controller->get_node()->parameters[name] = value;
}

robot::Pose pose_at(const Vector & positions)
{
  robot::Pose pose;
  while (robot::approach(pose, positions) == robot::Loops::away) {
  }
  return pose;
}

// The efforts that accelerate the joints at q, at rest.
Vector efforts(const Vector & qdd)
{
  Vector tau{};
  robot::inverse_dynamics(pose_at(q), Vector{}, qdd, robot::Payload{}, tau);
  for (const robot::Friction & row : robot::FRICTION) {
    tau[row.joint] += row.ratio * row.offset;
  }
  return tau;
}
}  // namespace

using Message = control_msgs::msg::DynamicJointState;

// The values of ~/state of a joint: position, effort, gravity, friction, sum, external, contact.
static std::vector<double> told(controller_interface::ControllerInterfaceBase & of, std::size_t joint)
{
  const auto topic = std::static_pointer_cast<rclcpp::Publisher<Message>>(
    of.get_node()->publishers.at("~/state"));
  return topic->last.interface_values.at(joint).values;
}

template<typename Controller>
static void lend(Controller & to, Vector & efforts, bool commands)
{
  std::vector<hardware_interface::LoanedCommandInterface> loaned_commands;
  std::vector<hardware_interface::LoanedStateInterface> loaned_states;
  for (std::size_t j = 0; j < JOINTS; ++j) {
    if (commands) {
      loaned_commands.emplace_back(&command[j]);
    }
    loaned_states.emplace_back(&q[j]);
    loaned_states.emplace_back(&qd[j]);
    loaned_states.emplace_back(&efforts[j]);
  }
  to.assign_interfaces(std::move(loaned_commands), std::move(loaned_states));
}

// A push on the second joint: it is observed, told, and answered, until it is forgotten.
static void observe_contacts()
{
  controller->on_deactivate(state);
  controller->on_cleanup(state);
  set_parameter_before("measured.effort", std::string("effort"));
  set_parameter_before("contact.reaction", std::string("gravity"));
  set_parameter_before("mode", std::string("computed_torque"));
  controller->on_init();
  controller->on_configure(state);
  expect(
    controller->state_interface_configuration().names.size() == 3 * JOINTS, "efforts are claimed");
  const auto exported = controller->export_state_interfaces();
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 13, 0)
  const std::string name = exported.at(5 + 3)->get_name();
  expect(
    name == std::string("controller/") + robot::JOINT_NAMES[1] + "/external_effort", "exported");
#endif
  Vector measured = efforts(Vector{});
  lend(*controller, measured, true);
  controller->on_activate(state);
  const Vector pose = q;
  auto topic = std::static_pointer_cast<
    rclcpp::Subscription<trajectory_msgs::msg::JointTrajectoryPoint>>(
    controller->get_node()->subscriptions.at("~/reference"));
  trajectory_msgs::msg::JointTrajectoryPoint point;
  point.positions.assign(q.begin(), q.end());
  point.positions[1] += 0.02;
  topic->callback(point);
  expect(run(2.0) == return_type::OK && std::abs(told(*controller, 1)[5]) < 1e-9, "no push");
  expect(std::abs(command[1] - measured[1]) > 1.0, "the reference pulls");
  double push = 2.0 * robot::CONTACT_THRESHOLD[1];   // beyond what friction may hold at rest
  for (const robot::Friction & row : robot::FRICTION) {
    push += row.joint == 1 ? row.coulomb + row.stribeck : 0.0;
  }
  measured[1] -= push;
  run(0.3);
  expect(std::abs(told(*controller, 1)[5] - push) < 1e-6, "the push is observed");
  expect(told(*controller, 1)[6] == 1.0 && told(*controller, 0)[6] == 0.0, "and is a contact");
  expect(near(command, efforts(Vector{})), "gravity is held then");
  expect(
    std::abs(told(*controller, 1)[2] + told(*controller, 1)[3] - efforts(Vector{})[1]) < 1e-6,
    "gravity and friction are told");
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 27, 0)
  expect(std::abs(exported[8]->get_optional().value() - push) < 1e-6, "as a state, too");
#endif
  controller->get_node()->timer->callback();
  expect(rclcpp::logged.find("contact at joint") != std::string::npos, "the log says so");
  measured[1] += push;
  run(1.0);
  expect(near(command, efforts(Vector{})), "until it is forgotten");
  const auto service = std::static_pointer_cast<rclcpp::Service<std_srvs::srv::Trigger>>(
    controller->get_node()->services.at("~/reset_contact"));
  auto response = std::make_shared<std_srvs::srv::Trigger::Response>();
  service->callback(std::make_shared<std_srvs::srv::Trigger::Request>(), response);
  run(1.0);
  expect(response->success && std::abs(command[1] - measured[1]) > 1.0, "then it follows again");
  expect(q == pose, "nothing moved");

  // the broadcaster tells the same, and commands nothing
  auto broadcaster = load_plugin("DynamicsBroadcaster");
  broadcaster->get_node()->parameters = controller->get_node()->parameters;
  expect(broadcaster->on_init() == CallbackReturn::SUCCESS, "the broadcaster is loaded");
  broadcaster->on_configure(state);
  expect(broadcaster->command_interface_configuration().names.empty(), "it claims no command");
  lend(*broadcaster, measured, false);
  broadcaster->on_activate(state);
  measured[1] -= push;
  for (int k = 0; k < 300; ++k) {
    const long allocated = allocations;
    broadcaster->update(rclcpp::Time(), rclcpp::Duration(0.001));
    in_updates += allocations - allocated;
  }
  expect(std::abs(told(*broadcaster, 1)[5] - push) < 1e-6, "it observes");
  expect(std::abs(told(*broadcaster, 1)[1] - measured[1]) < 1e-6, "and tells what is measured");
  broadcaster->on_deactivate(state);
  broadcaster->on_cleanup(state);
}

int main()
{
  controller = std::dynamic_pointer_cast<controller_interface::ChainableControllerInterface>(
    load_plugin("DynamicsController"));
  expect(controller->on_init() == CallbackReturn::SUCCESS, "on_init succeeds");
  expect(controller->on_configure(state) == CallbackReturn::SUCCESS, "on_configure succeeds");
  const auto commands = controller->command_interface_configuration().names;
  const auto states = controller->state_interface_configuration().names;
  const std::string first = robot::JOINT_NAMES[0];
  expect(commands.size() == JOINTS && commands[0] == first + "/effort", "efforts are claimed");
  expect(
    states.size() == 2 * JOINTS && states[0] == first + "/position" &&
    states[1] == first + "/velocity", "position and velocity of each joint are claimed");
  auto references = controller->export_reference_interfaces();
  expect(references.size() == 3 * JOINTS, "three references a joint");
  std::vector<hardware_interface::LoanedCommandInterface> loaned_commands;
  std::vector<hardware_interface::LoanedStateInterface> loaned_states;
  for (std::size_t j = 0; j < JOINTS; ++j) {
    loaned_commands.emplace_back(&command[j]);
    loaned_states.emplace_back(&q[j]);
    loaned_states.emplace_back(&qd[j]);
  }
  controller->assign_interfaces(std::move(loaned_commands), std::move(loaned_states));

  // nothing before a valid state, then gravity
  const Vector pose = q;
  q = robot::filled(NONE);
  controller->on_activate(state);
  expect(run(0.01) == return_type::OK && std::isnan(command[0]), "nothing is commanded before");
  q = pose;
  expect(run(1.0) == return_type::OK, "gravity runs");
  expect(near(command, efforts(Vector{})), "gravity is held");

  // a lock that somebody holds is no fault
  hardware_interface::locked = true;
  expect(run(0.05) == return_type::OK, "a short lock is no fault");
  hardware_interface::locked = false;

  // computed torque, its reference from the topic
  set_parameter("mode", std::string("computed_torque"));
  auto topic = std::static_pointer_cast<
    rclcpp::Subscription<trajectory_msgs::msg::JointTrajectoryPoint>>(
    controller->get_node()->subscriptions.at("~/reference"));
  trajectory_msgs::msg::JointTrajectoryPoint point;
  point.positions.assign(JOINTS - 1, 0.0);
  topic->callback(point);
  expect(rclcpp::logged.find("instead of") != std::string::npos, "a short message is refused");
  point.positions.assign(q.begin(), q.end());
  point.positions[0] += 0.01;
  topic->callback(point);
  expect(run(2.0) == return_type::OK, "the topic is followed");
  Vector pull{};
  pull[0] = 400.0 * 0.01;
  expect(near(command, efforts(pull)), "its error is corrected");

  // a payload is taken while it runs, and not at once
  const Vector before = command;
  set_parameter("payload.mass", 0.5);
  cycle();
  expect(near(command, before, 1e-4), "a payload fades in");
  run(1.0);
  expect(!HAS_PAYLOAD || !near(command, before, 1e-4), "a payload is felt");
  set_parameter("payload.mass", 0.0);
  const double inf = std::numeric_limits<double>::infinity();
  for (const char * name : {"payload.mass", "kp", "kd", "largest_error", "guiding_damping"}) {
    expect(!set_parameter(name, NONE).empty() && !set_parameter(name, inf).empty(), name);
  }
  const std::vector<double> most(robot::EFFORT_LIMIT.begin(), robot::EFFORT_LIMIT.end());
  for (const char * name : {"effort_limits", "velocity_limits"}) {
    for (const double wrong : {NONE, inf, 0.0, 1e6}) {
      expect(!set_parameter(name, std::vector<double>(JOINTS, wrong)).empty(), name);
    }
  }
  expect(set_parameter("effort_limits", most).empty(), "the limits of the URDF are valid");
  expect(!set_parameter("payload.com", std::vector<double>{0.0, NONE, 0.0}).empty(), "a centre");
  expect(
    set_parameter("payload.inertia", std::vector<double>{1.0, 0.0, 0.0, 1.0, 0.0, 2.1}).find(
      "no body has") != std::string::npos, "an inertia that no body has is refused");
  expect(controller->on_deactivate(state) == CallbackReturn::SUCCESS, "it can be deactivated");
  expect(near(command, Vector{}), "without efforts then");

  // chained: the reference of another controller, without velocities
  expect(controller->set_chained_mode(true), "it can be chained");
  controller->on_activate(state);
  expect(run(1.0) == return_type::OK && near(command, efforts(Vector{})), "it holds without one");
  for (std::size_t j = 0; j < JOINTS; ++j) {
    auto & reference = references[3 * j];
#if STANDIN_LISTS
    (void)reference->set_value(q[j] + (j == 1 ? 0.02 : 0.0));
    const std::string name = reference->get_name();
#else
    (void)reference.set_value(q[j] + (j == 1 ? 0.02 : 0.0));
    const std::string name = reference.get_name();
#endif
    expect(name == std::string("controller/") + robot::JOINT_NAMES[j] + "/position", "its name");
  }
  run(1.0);
  pull = Vector{};
  pull[1] = 400.0 * 0.02;
  expect(near(command, efforts(pull)), "the reference of the chain is followed");

  expect(largest_rate <= 1.000001 / robot::RATE_TIME, "rates are limited");

  // a fault: damped, then an error, and a line in the log
  q.back() = NONE;
  expect(run(0.4) == return_type::OK && std::isfinite(command[0]), "a fault is damped");
  expect(run(0.2) == return_type::ERROR && near(command, Vector{}), "then it is an error");
  controller->get_node()->timer->callback();
  const std::string name = robot::JOINT_NAMES[JOINTS - 1];
  expect(rclcpp::logged.find("joint " + name + ": ") != std::string::npos, "the log names the joint");
  controller->on_deactivate(state);
  q.back() = within_limits().back();
  controller->set_chained_mode(false);
  controller->on_activate(state);
  expect(run(1.0) == return_type::OK, "it can be activated again");
  controller->on_deactivate(state);
  std::weak_ptr<void> timer = controller->get_node()->timer, old_topic = topic;
  controller->get_node()->timer.reset();
  controller->get_node()->subscriptions.clear();
  topic.reset();
  expect(controller->on_cleanup(state) == CallbackReturn::SUCCESS, "it can be cleaned up");
  expect(timer.expired() && old_topic.expired(), "timer and subscription end with that");
  set_parameter_before("command_gains", std::vector<double>(JOINTS, 0.0));
  expect(controller->on_init() == CallbackReturn::SUCCESS, "it can be loaded again");
  expect(controller->on_configure(state) == CallbackReturn::FAILURE, "a gain of 0 is refused");
  set_parameter_before("command_gains", std::vector<double>(JOINTS, 1.0));
  controller->on_init();
  controller->on_configure(state);
  controller->on_activate(state);
  expect(run(1.0) == return_type::OK, "it can be configured again");
  if (robot::CONTACT_THRESHOLD[1] < robot::UNLIMITED) {
    observe_contacts();
  }
  expect(in_updates == 0, "no update allocates");

  // how long an update takes once all has settled, in calls of the generated inverse dynamics
  expect(run(6.0) == return_type::OK, "it stands");
  Vector tau{};
  robot::Pose at = pose_at(q);
  double sum = 0.0, fastest[2] = {1e9, 1e9};
  for (int repetition = 0; repetition < 20; ++repetition) {
    for (int which = 0; which < 2; ++which) {
      const auto begin = std::chrono::steady_clock::now();
      for (int k = 0; k < 2000; ++k) {
        q[0] = 0.1 + 1e-6 * k;
        if (which) {
          controller->update(rclcpp::Time(), rclcpp::Duration(0.001));
          sum += command[0];
        } else {
          at.q[0] = q[0];
          robot::inverse_dynamics(at, qd, Vector{}, robot::Payload{}, tau);
          sum += tau[0];
        }
      }
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      fastest[which] = std::min(fastest[which], took.count() / 2000);
    }
  }
  std::printf(
    "update %.3g us, inverse dynamics %.3g us, ratio %.2f (%g)\n", 1e6 * fastest[1],
    1e6 * fastest[0], fastest[1] / fastest[0], sum);
  std::printf("%ld allocations in updates, %d failures\n", in_updates, failures);
  return failures != 0;
}
