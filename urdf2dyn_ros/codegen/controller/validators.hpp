// What the parameter server refuses, by the rules of settings.hpp: generate_parameter_library calls
// these for parameters.yaml. Its own bounds let NaN pass.
#ifndef @PACKAGE@__VALIDATORS_HPP_
#define @PACKAGE@__VALIDATORS_HPP_

#include <cmath>
#include <string>
#include <vector>

#include "rclcpp/rclcpp.hpp"
#include "tl/expected.hpp"

#include "@package@/settings.hpp"

namespace @package@::validators
{

using Result = tl::expected<void, std::string>;

inline Result result(const rclcpp::Parameter & parameter, Objection objection)
{
  if (objection == nullptr) {
    return {};
  }
  return tl::make_unexpected(parameter.get_name() + ": " + objection);
}

inline Result not_negative(const rclcpp::Parameter & parameter)
{
  return result(parameter, @package@::not_negative(parameter.as_double()));
}

inline Result fraction(const rclcpp::Parameter & parameter)
{
  return result(parameter, @package@::fraction(parameter.as_double()));
}

inline Result effort_limits(const rclcpp::Parameter & parameter)
{
  return result(parameter, limits(parameter.as_double_array(), EFFORT_LIMIT));
}

inline Result velocity_limits(const rclcpp::Parameter & parameter)
{
  return result(parameter, limits(parameter.as_double_array(), VELOCITY_LIMIT));
}

inline Result gains(const rclcpp::Parameter & parameter)
{
  Objection found = nullptr;
  for (const double gain : parameter.as_double_array()) {
    found = gain != 0.0 && std::abs(gain) <= LARGEST ? found : "must be numbers other than 0";
  }
  return result(parameter, found);
}

inline Result centre(const rclcpp::Parameter & parameter)
{
  const std::vector<double> values = parameter.as_double_array();
  return result(
    parameter, values.size() == 3 ? @package@::centre(values.data()) : "must be three numbers");
}

inline Result inertia(const rclcpp::Parameter & parameter)
{
  const std::vector<double> values = parameter.as_double_array();
  return result(
    parameter, values.size() == 6 ? @package@::inertia(values.data()) : "must be six numbers");
}

}  // namespace @package@::validators

#endif  // @PACKAGE@__VALIDATORS_HPP_
