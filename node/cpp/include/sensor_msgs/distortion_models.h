// Names for CameraInfo::distortion_model.
#pragma once
#include <string>

namespace sensor_msgs {
namespace distortion_models {

const std::string PLUMB_BOB = "plumb_bob";                     // k1, k2, t1, t2, k3
const std::string RATIONAL_POLYNOMIAL = "rational_polynomial"; // k1, k2, t1, t2, k3, k4, k5, k6
const std::string EQUIDISTANT = "equidistant";                 // of fisheye lenses: k1, k2, k3, k4

} // namespace distortion_models
} // namespace sensor_msgs
