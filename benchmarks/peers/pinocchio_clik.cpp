// Closed-loop inverse kinematics with Pinocchio, all of it in C++: v = Jᵀ (J Jᵀ + λ)⁻¹ log(X⁻¹ X_d).
//
// Header-only, as pinocchio_bench.cpp.

#include <pinocchio/multibody.hpp>
#include <pinocchio/spatial.hpp>

#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>

#include <cmath>
#include <string>

namespace {

using namespace pinocchio;
using Eigen::Map;
using Eigen::VectorXd;
using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using RowMatrix4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

constexpr double DAMPING = 1e-6;
constexpr int ITERATIONS = 100;

struct Clik {
  Model model;
  Data data;
  Data::Matrix6x J;
  VectorXd lower, upper;

  explicit Clik(const Model &m) : model(m), data(m), J(Data::Matrix6x::Zero(6, m.nv)) {}

  // Returns whether the last joint's frame is at the goal, q within the limits.
  bool descend(const SE3 &goal, double tolerance, VectorXd &q) {
    const JointIndex last = JointIndex(model.njoints - 1);
    for (int k = 0; k < ITERATIONS; ++k) {
      J.setZero();
      computeJointJacobian(model, data, q, last, J);
      forwardKinematics(model, data, q);
      const SE3 error = data.oMi[last].actInv(goal);
      const Motion e = log6(error);
      if (e.toVector().norm() < tolerance) return inside(q);
      Matrix6 slope;
      Jlog6(error.inverse(), slope);
      const Data::Matrix6x A = slope * J;
      Matrix6 gram = A * A.transpose();
      gram.diagonal().array() += DAMPING;
      q += A.transpose() * gram.ldlt().solve(e.toVector());
    }
    return false;
  }

  // Brings angles back by full turns.
  bool inside(VectorXd &q) const {
    const double turn = 2 * M_PI;
    for (int i = 0; i < model.nq; ++i) q[i] -= turn * std::round((q[i] - (lower[i] + upper[i]) / 2) / turn);
    return (q.array() >= lower.array()).all() && (q.array() <= upper.array()).all();
  }
};

JointModel joint_model(int kind) {
  switch (kind) {
    case 0: return JointModelRX();
    case 1: return JointModelRY();
    case 2: return JointModelRZ();
    case 3: return JointModelPX();
    case 4: return JointModelPY();
    default: return JointModelPZ();
  }
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

// A chain: for each joint its kind, and 12 numbers, rotation by rows and translation.
EXPORT void *clik_create(int count, const int *kinds, const double *rows, const double *lower, const double *upper) {
  Model model;
  for (int k = 0; k < count; ++k) {
    const double *row = rows + 12 * k;
    const SE3 X(Map<const RowMatrix3>(row), Map<const Eigen::Vector3d>(row + 9));
    model.addJoint(JointIndex(k), joint_model(kinds[k]), X, "joint" + std::to_string(k + 1));
  }
  auto *clik = new Clik(model);
  clik->lower = Map<const VectorXd>(lower, count);
  clik->upper = Map<const VectorXd>(upper, count);
  return clik;
}

EXPORT void clik_free(void *clik) { delete static_cast<Clik *>(clik); }

// Solves poses one after the other, each from the starts in turn; with `track` from the last one's solution.
EXPORT void clik_solve(void *clik, int count, const double *poses, int starts, const double *table, int track,
                       double tolerance, double *out) {
  Clik &c = *static_cast<Clik *>(clik);
  const int n = c.model.nq;
  VectorXd q = Map<const VectorXd>(table, n);
  for (int k = 0; k < count; ++k) {
    const RowMatrix4 X = Map<const RowMatrix4>(poses + 16 * k);
    const SE3 goal(X.topLeftCorner<3, 3>(), X.topRightCorner<3, 1>());
    if (!track || !c.descend(goal, tolerance, q)) {
      for (int s = 0; s < starts; ++s) {
        q = Map<const VectorXd>(table + n * s, n);
        if (c.descend(goal, tolerance, q)) break;
      }
    }
    Map<VectorXd>(out + n * k, n) = q;
  }
}
