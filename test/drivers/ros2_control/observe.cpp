// Reads samples (dt, q, qd, efforts, payload) as text, and prints of each joint its external effort,
// what is undetermined of it, and whether it was touched so far.
#include <cstdio>

#include PACKAGE_OBSERVER   // "<package>/momentum_observer.hpp"

using namespace PACKAGE;

template<typename Values>
static bool read(Values & values)
{
  bool done = true;
  for (double & value : values) {
    done = done && std::scanf("%lf", &value) == 1;
  }
  return done;
}

int main()
{
  MomentumObserver observer;
  std::array<double, 1> dt{};
  Pose at;
  Vector q{}, qd{}, effort{};
  Payload payload{};
  while (read(dt) && read(q) && read(qd) && read(effort) && read(payload)) {
    const Loops loops = approach(at, q);
    observer.update({q, at.passive, loops}, qd, effort, payload, dt[0]);
    for (std::size_t j = 0; j < JOINTS; ++j) {
      std::printf(
        "%.17g %.17g %d ", observer.external()[j], observer.undetermined()[j], observer.touched(j));
    }
    std::printf("\n");
  }
  return 0;
}
