// Poses of all frames with Pinocchio: forwardKinematics, then updateFramePlacements.
//
// Header-only, as pinocchio_bench.cpp.

#include <pinocchio/multibody.hpp>
#include <pinocchio/spatial.hpp>

#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/kinematics.hpp>

#include <string>
#include <vector>

namespace {

using namespace pinocchio;
using Eigen::Map;
using Eigen::VectorXd;
using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using RowMatrix4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

struct Frames {
  Model model;
  Data data;
  std::vector<VectorXd> q;

  explicit Frames(const Model &m) : model(m), data(m) {}

  void place(int state) {
    forwardKinematics(model, data, q[state]);
    updateFramePlacements(model, data);
  }
};

JointModel joint_model(int kind) {
  switch (kind) {
    case 0: return JointModelRX();
    case 1: return JointModelRY();
    case 2: return JointModelRZ();
    case 3: return JointModelPX();
    case 4: return JointModelPY();
    case 5: return JointModelPZ();
    case 6: return JointModelSpherical();
    default: return JointModelFreeFlyer();
  }
}

// 12 numbers: rotation by rows and translation
SE3 pose(const double *row) { return SE3(Map<const RowMatrix3>(row), Map<const Eigen::Vector3d>(row + 9)); }

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

// Joints with the joint above each, 0 for the world; frames with the joint that carries each.
EXPORT void *frames_create(int joints, const int *parents, const int *kinds, const double *placements, int frames,
                           const int *carriers, const double *offsets) {
  Model model;
  for (int k = 0; k < joints; ++k)
    model.addJoint(JointIndex(parents[k]), joint_model(kinds[k]), pose(placements + 12 * k), "j" + std::to_string(k));
  for (int k = 0; k < frames; ++k)
    model.addFrame(Frame("f" + std::to_string(k), JointIndex(carriers[k]), 0, pose(offsets + 12 * k), OP_FRAME));
  return new Frames(model);
}

EXPORT void frames_free(void *bench) { delete static_cast<Frames *>(bench); }

EXPORT void frames_states(void *bench, int count, const double *q) {
  Frames &b = *static_cast<Frames *>(bench);
  for (int i = 0; i < count; ++i) b.q.emplace_back(Map<const VectorXd>(q + i * b.model.nq, b.model.nq));
}

EXPORT double frames_run(void *bench, int passes) {
  Frames &b = *static_cast<Frames *>(bench);
  double sink = 0;
  for (int pass = 0; pass < passes; ++pass)
    for (int i = 0; i < int(b.q.size()); ++i) {
      b.place(i);
      sink += b.data.oMf.back().translation()[0];
    }
  return sink;
}

EXPORT void frames_result(void *bench, int state, double *out) {
  Frames &b = *static_cast<Frames *>(bench);
  b.place(state);
  // the first is the world's own
  for (std::size_t k = 1; k < b.data.oMf.size(); ++k)
    Map<RowMatrix4>(out + 16 * (k - 1)) = b.data.oMf[k].toHomogeneousMatrix();
}
