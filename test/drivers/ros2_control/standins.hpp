// Stand-ins for what the exported controller uses of ros2_control and rclcpp: own text, with the
// signatures of the version VERSION_MAJOR.VERSION_MINOR of controller_interface, and nothing else.
// docs/controller.md has the table of signatures.
#pragma once

#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#ifndef VERSION_MAJOR   // where no controller is compiled
#define VERSION_MAJOR 4
#define VERSION_MINOR 46
#endif
#define CONTROLLER_INTERFACE_VERSION_GTE(major, minor, patch) \
  (VERSION_MAJOR > (major) || (VERSION_MAJOR == (major) && VERSION_MINOR >= (minor)))

#define STANDIN_LISTS \
  (CONTROLLER_INTERFACE_VERSION_GTE(6, 5, 0) || \
  (VERSION_MAJOR == 5 && VERSION_MINOR >= 13) || (VERSION_MAJOR == 4 && VERSION_MINOR >= 44))

namespace rclcpp
{
class Time {};
struct Stamp   // of a message
{
  Stamp & operator=(const Time &) {return *this;}
};

class Duration
{
public:
  explicit Duration(double seconds) : seconds_(seconds) {}
  static Duration from_seconds(double seconds) {return Duration(seconds);}
  double seconds() const {return seconds_;}

private:
  double seconds_;
};

class SystemDefaultsQoS {};
struct Logger {};
inline std::string logged;   // all lines

inline void log(const Logger &, const char * format, ...)
{
  char line[500];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  logged += std::string(line) + "\n";
}

class TimerBase
{
public:
  using SharedPtr = std::shared_ptr<TimerBase>;
  std::function<void()> callback;
};

template<typename Message>
class Publisher
{
public:
  using SharedPtr = std::shared_ptr<Publisher>;
  void publish(const Message & message) {last = message; ++count;}
  Message last{};
  int count = 0;
};

template<typename Kind>
class Service
{
public:
  using SharedPtr = std::shared_ptr<Service>;
  std::function<void(std::shared_ptr<typename Kind::Request>,
    std::shared_ptr<typename Kind::Response>)> callback;
};

template<typename Message>
class Subscription
{
public:
  using SharedPtr = std::shared_ptr<Subscription>;
  std::function<void(const Message &)> callback;
};
}  // namespace rclcpp

namespace rclcpp
{
class Parameter
{
public:
  using Value = std::variant<double, std::string, std::vector<double>>;

  Parameter(std::string name, Value value) : name_(std::move(name)), value_(std::move(value)) {}
  const std::string & get_name() const {return name_;}
  const Value & get_parameter_value() const {return value_;}
  double as_double() const {return std::get<double>(value_);}
  std::vector<double> as_double_array() const {return std::get<std::vector<double>>(value_);}

private:
  std::string name_;
  Value value_;
};
}  // namespace rclcpp

namespace rclcpp
{
struct NodeOptions
{
  NodeOptions & allow_undeclared_parameters(bool) {return *this;}
  NodeOptions & automatically_declare_parameters_from_overrides(bool) {return *this;}
  void parameter_overrides(std::vector<Parameter> values) {overrides = std::move(values);}
  std::vector<Parameter> overrides;
};
inline void init(int, char **) {}
inline void shutdown() {}
}  // namespace rclcpp

namespace tl   // as much of tl::expected as validators use
{
template<typename E>
struct unexpected
{
  E error;
};
inline unexpected<std::string> make_unexpected(std::string error) {return {std::move(error)};}

template<typename T, typename E>
class expected
{
public:
  expected() = default;
  expected(unexpected<E> wrong) : wrong_(true), error_(std::move(wrong.error)) {}
  explicit operator bool() const {return !wrong_;}
  const E & error() const {return error_;}

private:
  bool wrong_ = false;
  E error_{};
};
}  // namespace tl

#define RCLCPP_ERROR(...) rclcpp::log(__VA_ARGS__)
#define RCLCPP_WARN(...) rclcpp::log(__VA_ARGS__)

namespace rclcpp_lifecycle
{
class State {};

class LifecycleNode
{
public:
  using Value = rclcpp::Parameter::Value;

  explicit LifecycleNode(std::string name) : name_(std::move(name)) {}
  const char * get_name() const {return name_.c_str();}
  rclcpp::Logger get_logger() const {return {};}

  template<typename Rep, typename Period, typename Callback>
  rclcpp::TimerBase::SharedPtr create_wall_timer(
    std::chrono::duration<Rep, Period>, Callback callback)
  {
    timer = std::make_shared<rclcpp::TimerBase>();
    timer->callback = callback;
    return timer;
  }

  template<typename Message>
  typename rclcpp::Publisher<Message>::SharedPtr create_publisher(
    const std::string & topic, const rclcpp::SystemDefaultsQoS &)
  {
    auto publisher = std::make_shared<rclcpp::Publisher<Message>>();
    publishers[topic] = publisher;
    return publisher;
  }

  template<typename Kind, typename Callback>
  typename rclcpp::Service<Kind>::SharedPtr create_service(
    const std::string & name, Callback callback)
  {
    auto service = std::make_shared<rclcpp::Service<Kind>>();
    service->callback = callback;
    services[name] = service;
    return service;
  }

  template<typename Message, typename Callback>
  typename rclcpp::Subscription<Message>::SharedPtr create_subscription(
    const std::string & topic, const rclcpp::SystemDefaultsQoS &, Callback && callback)
  {
    auto subscription = std::make_shared<rclcpp::Subscription<Message>>();
    subscription->callback = callback;
    subscriptions[topic] = subscription;
    return subscription;
  }

  struct Result {bool successful; std::string reason;};
  Result set_parameter(const rclcpp::Parameter & parameter)
  {
    const std::string wrong = validate ? validate(parameter) : "";
    if (wrong.empty()) {
      parameters[parameter.get_name()] = parameter.get_parameter_value();
      ++changes;
    }
    return {wrong.empty(), wrong};
  }

  void activate() {change("activate");}
  void deactivate() {change("deactivate");}
  void cleanup() {change("cleanup");}
  std::function<void(const char *)> change;   // of the life cycle

  std::map<std::string, Value> parameters;   // that were set
  std::function<std::string(const rclcpp::Parameter &)> validate;   // of the parameter library
  int changes = 0;
  rclcpp::TimerBase::SharedPtr timer;
  std::map<std::string, std::shared_ptr<void>> subscriptions, publishers, services;

private:
  std::string name_;
};
}  // namespace rclcpp_lifecycle

namespace control_msgs::msg
{
struct InterfaceValue
{
  std::vector<std::string> interface_names;
  std::vector<double> values;
};
struct DynamicJointState
{
  struct {rclcpp::Stamp stamp;} header;
  std::vector<std::string> joint_names;
  std::vector<InterfaceValue> interface_values;
};
}  // namespace control_msgs::msg

namespace std_srvs::srv
{
struct Trigger
{
  struct Request {};
  struct Response {bool success; std::string message;};
};
}  // namespace std_srvs::srv

namespace trajectory_msgs::msg
{
struct JointTrajectoryPoint
{
  std::vector<double> positions, velocities, accelerations;
};
}  // namespace trajectory_msgs::msg

namespace realtime_tools
{
template<typename Message>
class RealtimePublisher   // publishes at once, without its thread
{
public:
  explicit RealtimePublisher(typename rclcpp::Publisher<Message>::SharedPtr publisher)
  : publisher_(publisher) {}
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 27, 0)
  bool try_publish(const Message & message) {publisher_->publish(message); return true;}
#else
  bool trylock() {return true;}
  void unlockAndPublish() {publisher_->publish(msg_);}
  Message msg_{};
#endif

private:
  typename rclcpp::Publisher<Message>::SharedPtr publisher_;
};

template<typename T>
class RealtimeBuffer
{
public:
  T * readFromRT()
  {
    std::unique_lock<std::mutex> guard(mutex_, std::try_to_lock);
    if (guard.owns_lock() && new_) {
      std::swap(read_, written_);
      new_ = false;
    }
    return &values_[read_];
  }

  void writeFromNonRT(const T & value)
  {
    std::lock_guard<std::mutex> guard(mutex_);
    values_[written_] = value;
    new_ = true;
  }

private:
  T values_[2];
  int read_ = 0, written_ = 1;
  bool new_ = false;
  std::mutex mutex_;
};
}  // namespace realtime_tools

namespace hardware_interface
{
class CommandInterface
{
public:
  using SharedPtr = std::shared_ptr<CommandInterface>;
#if STANDIN_LISTS
  CommandInterface(const std::string & prefix, const std::string & name)
  : CommandInterface(prefix, name, nullptr) {value_ = &own_;}
#endif
  CommandInterface(const std::string & prefix, const std::string & name, double * value)
  : prefix_(prefix), name_(name), value_(value) {}
  CommandInterface(const CommandInterface &) = delete;
  CommandInterface(CommandInterface &&) = default;

  std::string get_name() const {return prefix_ + "/" + name_;}
  const std::string & get_prefix_name() const {return prefix_;}
  double * value() {return value_;}
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 0, 0)
  template<typename T>
  [[nodiscard]] bool set_value(const T & value) {*value_ = value; return true;}
  template<typename T = double>
  [[nodiscard]] std::optional<T> get_optional() const {return *value_;}
#else
  void set_value(double value) {*value_ = value;}
  double get_value() const {return *value_;}
#endif

private:
  std::string prefix_, name_;
  double * value_;
  double own_ = std::numeric_limits<double>::quiet_NaN();
};

class StateInterface : public CommandInterface
{
public:
  using SharedPtr = std::shared_ptr<StateInterface>;
  using CommandInterface::CommandInterface;
};

inline bool locked = false;   // another thread holds the lock of all states

class LoanedInterface
{
public:
  explicit LoanedInterface(double * value) : value_(value) {}
#if STANDIN_LISTS
  explicit LoanedInterface(std::shared_ptr<CommandInterface> interface)
  : value_(interface->value()) {}
#else
  explicit LoanedInterface(CommandInterface & interface) : value_(interface.value()) {}
#endif
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 27, 0)
  template<typename T = double>
  [[nodiscard]] std::optional<T> get_optional(unsigned int = 10) const
  {
    return locked ? std::nullopt : std::optional<T>(*value_);
  }
#else
  double get_value() const {return *value_;}
#endif

protected:
  double * value_;
};

class LoanedStateInterface : public LoanedInterface
{
public:
  using LoanedInterface::LoanedInterface;
};

class LoanedCommandInterface : public LoanedInterface
{
public:
  using LoanedInterface::LoanedInterface;
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 0, 0)
  template<typename T>
  [[nodiscard]] bool set_value(const T & value, unsigned int = 10) {*value_ = value; return true;}
#else
  void set_value(double value) {*value_ = value;}
#endif
};
}  // namespace hardware_interface

namespace controller_interface
{
enum class CallbackReturn : std::uint8_t {SUCCESS = 97, FAILURE = 98, ERROR = 99};
enum class return_type : std::uint8_t {OK = 0, ERROR = 1};
enum class interface_configuration_type : std::uint8_t {ALL = 0, INDIVIDUAL = 1, NONE = 2};

struct InterfaceConfiguration
{
  interface_configuration_type type;
  std::vector<std::string> names = {};
};

struct ControllerInterfaceParams
{
  std::string controller_name;
  unsigned int update_rate = 0, controller_manager_update_rate = 0;
  rclcpp::NodeOptions node_options;
};

class ControllerInterfaceBase
{
public:
  virtual ~ControllerInterfaceBase() = default;

#if CONTROLLER_INTERFACE_VERSION_GTE(4, 0, 0)
  rclcpp::NodeOptions define_custom_node_options() const {return {};}
#endif
#if CONTROLLER_INTERFACE_VERSION_GTE(5, 7, 0)
  return_type init(const ControllerInterfaceParams & with)
  {
    return load(with.controller_name, with.node_options);
  }
#elif CONTROLLER_INTERFACE_VERSION_GTE(4, 0, 0)
  return_type init(
    const std::string & name, const std::string &, unsigned int, const std::string &,
    const rclcpp::NodeOptions & options) {return load(name, options);}
#else
  return_type init(
    const std::string & name, const std::string &, const rclcpp::NodeOptions & options)
  {
    return load(name, options);
  }
#endif
  void configure() {on_configure({});}
  virtual CallbackReturn on_init() = 0;
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State &) = 0;
  virtual CallbackReturn on_cleanup(const rclcpp_lifecycle::State &) = 0;
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State &) = 0;
  virtual CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) = 0;
  virtual return_type update(const rclcpp::Time &, const rclcpp::Duration &) = 0;

  void assign_interfaces(
    std::vector<hardware_interface::LoanedCommandInterface> && commands,
    std::vector<hardware_interface::LoanedStateInterface> && states)
  {
    command_interfaces_ = std::move(commands);
    state_interfaces_ = std::move(states);
  }

  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> get_node() {return node_;}

protected:
  std::vector<hardware_interface::LoanedCommandInterface> command_interfaces_;
  std::vector<hardware_interface::LoanedStateInterface> state_interfaces_;

private:
  return_type load(const std::string & name, const rclcpp::NodeOptions & options)
  {
    node_ = std::make_shared<rclcpp_lifecycle::LifecycleNode>(name);
    for (const rclcpp::Parameter & each : options.overrides) {
      node_->parameters[each.get_name()] = each.get_parameter_value();
    }
    node_->change = [this](const char * to) {
        const std::string what = to;
        what == "activate" ? on_activate({}) : what == "deactivate" ? on_deactivate({}) :
        on_cleanup({});
      };
    return on_init() == CallbackReturn::SUCCESS ? return_type::OK : return_type::ERROR;
  }

  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node_ =
    std::make_shared<rclcpp_lifecycle::LifecycleNode>("controller");
};

class ControllerInterface : public ControllerInterfaceBase {};

class ChainableControllerInterface : public ControllerInterfaceBase
{
public:
  return_type update(const rclcpp::Time & time, const rclcpp::Duration & period) final
  {
    if (!chained_) {
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 0, 0)
      const return_type result = update_reference_from_subscribers(time, period);
#else
      const return_type result = update_reference_from_subscribers();
#endif
      if (result != return_type::OK) {
        return result;
      }
    }
    return update_and_write_commands(time, period);
  }

  bool set_chained_mode(bool chained)
  {
    const bool result = on_set_chained_mode(chained);
    chained_ = result ? chained : chained_;
    return result;
  }

  bool is_in_chained_mode() const {return chained_;}

  // of both kinds, as SharedPtr
  std::vector<hardware_interface::StateInterface::SharedPtr> export_state_interfaces()
  {
    std::vector<hardware_interface::StateInterface::SharedPtr> all;
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 13, 0)
    for (auto & each : on_export_state_interfaces()) {
      all.push_back(std::make_shared<hardware_interface::StateInterface>(std::move(each)));
    }
#endif
#if STANDIN_LISTS
    for (auto & each : on_export_state_interfaces_list()) {
      all.push_back(each);
    }
#endif
    return all;
  }

#if STANDIN_LISTS
  std::vector<hardware_interface::CommandInterface::SharedPtr> export_reference_interfaces()
  {
    return ordered_exported_reference_interfaces_ = on_export_reference_interfaces_list();
  }
#else
  std::vector<hardware_interface::CommandInterface> export_reference_interfaces()
  {
    auto references = on_export_reference_interfaces();
    if (references.size() != reference_interfaces_.size()) {
      references.clear();
    }
    return references;
  }
#endif

protected:
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 0, 0)
  virtual return_type update_reference_from_subscribers(
    const rclcpp::Time &, const rclcpp::Duration &) = 0;
#else
  virtual return_type update_reference_from_subscribers() = 0;
#endif
  virtual return_type update_and_write_commands(
    const rclcpp::Time &, const rclcpp::Duration &) = 0;
#if CONTROLLER_INTERFACE_VERSION_GTE(4, 13, 0)
  virtual std::vector<hardware_interface::StateInterface> on_export_state_interfaces() {return {};}
#endif
#if STANDIN_LISTS
  virtual std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces()
  {
    return {};
  }
  virtual std::vector<hardware_interface::StateInterface::SharedPtr>
  on_export_state_interfaces_list() {return {};}
  virtual std::vector<hardware_interface::CommandInterface::SharedPtr>
  on_export_reference_interfaces_list() = 0;
  std::vector<hardware_interface::CommandInterface::SharedPtr>
  ordered_exported_reference_interfaces_;
#else
  virtual std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() = 0;
  std::vector<double> reference_interfaces_;
#endif
  virtual bool on_set_chained_mode(bool) {return true;}

private:
  bool chained_ = false;
};
}  // namespace controller_interface

// Plugins by their names, as pluginlib loads them.
inline std::map<std::string, std::shared_ptr<controller_interface::ControllerInterfaceBase>> plugins;
#define PLUGINLIB_EXPORT_CLASS(derived, base) \
  [[maybe_unused]] static const bool exported = plugins.emplace( \
    #derived, std::static_pointer_cast<base>(std::make_shared<derived>())).second;

// What the test of the core uses of gtest; a failure ends the program with an exit code.
namespace testing
{
struct Test
{
  const char * suite, * name;
  void (* body)();
};
inline std::vector<Test> tests;
inline int failed = 0;

struct Registered
{
  Registered(const char * suite, const char * name, void (* body)())
  {
    tests.push_back({suite, name, body});
  }
};

struct Check   // takes what is streamed into it
{
  Check(bool holds, const char * what, int line)
  {
    if (!holds) {
      std::printf("line %d: not so: %s\n", line, what);
      ++failed;
    }
  }
  template<typename T> Check & operator<<(const T &) {return *this;}
};

inline void InitGoogleTest(int *, char **) {}
// A test is a member of it, with gtest: its names mean nothing else there.
class Fixture
{
  void Run();
};
}  // namespace testing

inline int RUN_ALL_TESTS()
{
  for (const testing::Test & test : testing::tests) {
    const int before = testing::failed;
    test.body();
    std::printf("%s %s.%s\n", testing::failed == before ? "OK" : "FAILED", test.suite, test.name);
  }
  return testing::failed != 0;
}

#define TEST(suite, name) \
  struct suite ## name : testing::Fixture {static void body();}; \
  static const testing::Registered registered_ ## suite ## name( \
    #suite, #name, suite ## name::body); \
  void suite ## name::body()
#define EXPECT_TRUE(a) testing::Check(a, #a, __LINE__)
#define EXPECT_EQ(a, b) testing::Check((a) == (b), #a " == " #b, __LINE__)
#define ASSERT_EQ(a, b) EXPECT_EQ(a, b)
#define EXPECT_NE(a, b) testing::Check((a) != (b), #a " != " #b, __LINE__)
#define EXPECT_LE(a, b) testing::Check((a) <= (b), #a " <= " #b, __LINE__)
#define EXPECT_NEAR(a, b, c) \
  testing::Check(std::abs((a) - (b)) <= (c), #a " near " #b, __LINE__)
