// The controller of '@robot@' as controller_manager drives it: the class itself, without hardware.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "@package@/dynamics_controller.hpp"

using namespace @package@;
using controller_interface::return_type;
using hardware_interface::CommandInterface;
using hardware_interface::LoanedCommandInterface;
using hardware_interface::LoanedStateInterface;
using hardware_interface::StateInterface;

namespace
{
constexpr double DT = 0.001;   // [s]

// A controller that is loaded and configured, and the numbers of its hardware.
class Rig
{
public:
  explicit Rig(const std::string & name)
  {
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 0, 0)
    rclcpp::NodeOptions options = controller->define_custom_node_options();
#else   // Humble: what its init has by default
    rclcpp::NodeOptions options;
    options.allow_undeclared_parameters(true).automatically_declare_parameters_from_overrides(true);
#endif
    options.parameter_overrides({rclcpp::Parameter("measured.effort", std::string("effort"))});
#if CONTROLLER_INTERFACE_VERSION_GTE(6, 1, 0) || \
    (CONTROLLER_INTERFACE_VERSION_GTE(5, 10, 0) && !CONTROLLER_INTERFACE_VERSION_GTE(6, 0, 0))
    controller_interface::ControllerInterfaceParams parameters;
    parameters.controller_name = name;
    parameters.update_rate = 1000;
    parameters.controller_manager_update_rate = 1000;
    parameters.node_options = options;
    loaded = controller->init(parameters) == return_type::OK;
#elif CONTROLLER_INTERFACE_VERSION_GTE(4, 0, 0)
    loaded = controller->init(name, "", 1000, "", options) == return_type::OK;
#else   // Humble
    loaded = controller->init(name, "", options) == return_type::OK;
#endif
    controller->configure();
    references = controller->export_reference_interfaces();
#if EXPORTS_STATES
    states = controller->export_state_interfaces();
#endif
    for (std::size_t j = 0; j < JOINTS; ++j) {
      q[j] = std::min(std::max(START[j] + 0.1, LOWER_LIMIT[j]), UPPER_LIMIT[j]);
    }
  }

  // Lend the interfaces that it claims, and activate it.
  void activate()
  {
    std::vector<LoanedCommandInterface> commands;
    std::vector<LoanedStateInterface> measured;
    for (std::size_t j = 0; j < JOINTS; ++j) {
      lend(j, "effort", &tau[j], commands_, commands);
      lend(j, "position", &q[j], states_, measured);
      lend(j, "velocity", &qd[j], states_, measured);
      lend(j, "effort", &tau[j], states_, measured);
    }
    controller->assign_interfaces(std::move(commands), std::move(measured));
    controller->get_node()->activate();
  }

  return_type cycles(int number)
  {
    return_type result = return_type::OK;
    for (int k = 0; k < number; ++k) {
      result = controller->update(rclcpp::Time(), rclcpp::Duration::from_seconds(DT));
    }
    return result;
  }

  std::shared_ptr<DynamicsController> controller = std::make_shared<DynamicsController>();
  bool loaded = false;
  decltype(controller->export_reference_interfaces()) references;
#if EXPORTS_STATES
  decltype(controller->export_state_interfaces()) states;
#endif
  Vector q{}, qd{}, tau{};

private:
  // Lend the number of a joint's interface; shared pointers are lent from Jazzy's 4.44 and Kilted on.
  template<typename Interface, typename Loaned>
  static void lend(
    std::size_t j, const char * name, double * value,
    std::vector<std::shared_ptr<Interface>> & owned, std::vector<Loaned> & to)
  {
    owned.push_back(std::make_shared<Interface>(JOINT_NAMES[j], name, value));
    if constexpr (std::is_constructible_v<Loaned, std::shared_ptr<Interface>>) {
      to.emplace_back(owned.back());
    } else {
      to.emplace_back(*owned.back());
    }
  }

  std::vector<std::shared_ptr<CommandInterface>> commands_;
  std::vector<std::shared_ptr<StateInterface>> states_;
};
}  // namespace

TEST(Controller, HoldsGravityThroughItsLife)
{
  Rig rig("held");
  ASSERT_EQ(rig.loaded, true);
  EXPECT_EQ(rig.references.size(), 3 * JOINTS);
#if EXPORTS_STATES
  EXPECT_EQ(rig.states.size(), (Monitor::VALUES.size() - Monitor::EXPORTED) * JOINTS);
#endif
  rig.activate();
  EXPECT_EQ(rig.cycles(2000), return_type::OK);
  Pose at;
  while (approach(at, rig.q) == Loops::away) {
  }
  const Vector held = law(Settings{}, at, rig.qd, Goal{});
  for (std::size_t j = 0; j < JOINTS; ++j) {
    EXPECT_NEAR(rig.tau[j], std::min(std::max(held[j], -EFFORT_LIMIT[j]), EFFORT_LIMIT[j]), 1e-6);
  }
  rig.q[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(rig.cycles(100), return_type::OK);
  for (const double effort : rig.tau) {
    EXPECT_TRUE(std::isfinite(effort));
  }
  EXPECT_EQ(rig.cycles(500), return_type::ERROR);
  EXPECT_EQ(rig.tau, Vector{});
  rig.controller->get_node()->deactivate();
  rig.controller->get_node()->cleanup();
}

TEST(Controller, RefusesWhatIsNotFinite)
{
  Rig rig("refusing");
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto node = rig.controller->get_node();
  EXPECT_TRUE(!node->set_parameter(rclcpp::Parameter("payload.mass", none)).successful);
  EXPECT_TRUE(
    !node->set_parameter(
      rclcpp::Parameter("effort_limits", std::vector<double>(JOINTS, none))).successful);
  EXPECT_TRUE(node->set_parameter(rclcpp::Parameter("payload.mass", 0.5)).successful);
}

int main(int argc, char ** argv)
{
  testing::InitGoogleTest(&argc, argv);
  rclcpp::init(argc, argv);
  const int result = RUN_ALL_TESTS();
  rclcpp::shutdown();
  return result;
}
