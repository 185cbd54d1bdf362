// Pinocchio's algorithms over stored states, behind a plain C interface.
//
// Header-only on purpose: without PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION every algorithm is
// compiled here with the flags of this file, not taken from a library built for old processors.

#include <pinocchio/multibody.hpp>
#include <pinocchio/spatial.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <string>
#include <vector>

namespace {

using namespace pinocchio;
using Eigen::Map;
using Eigen::VectorXd;
using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

enum Kind { REVOLUTE_X, REVOLUTE_Y, REVOLUTE_Z, PRISMATIC_X, PRISMATIC_Y, PRISMATIC_Z, SPHERICAL, FLOATING };
enum Algorithm { RNEA, CRBA_LOCAL, CRBA_WORLD, ABA_LOCAL, ABA_WORLD, RNEA_DERIVATIVES, ABA_DERIVATIVES, KINEMATICS, JACOBIAN };

// one joint with its body: rotation, translation, mass, centre of mass, inertia about it, armature
constexpr int ROW = 9 + 3 + 1 + 3 + 9 + 1;

struct Bench {
  Model model;
  Data data;
  Data::Matrix6x J;
  std::vector<VectorXd> q, v, a, tau;
  double sink = 0;

  explicit Bench(const Model &m) : model(m), data(m), J(Data::Matrix6x::Zero(6, m.nv)) {}
};

JointModel joint_model(int kind) {
  switch (kind) {
    case REVOLUTE_X: return JointModelRX();
    case REVOLUTE_Y: return JointModelRY();
    case REVOLUTE_Z: return JointModelRZ();
    case PRISMATIC_X: return JointModelPX();
    case PRISMATIC_Y: return JointModelPY();
    case PRISMATIC_Z: return JointModelPZ();
    case SPHERICAL: return JointModelSpherical();
    default: return JointModelFreeFlyer();
  }
}

// Runs one algorithm for one state; what it returns keeps the compiler from dropping the work.
double compute(Bench &b, int algorithm, int i) {
  const Model &m = b.model;
  Data &d = b.data;
  switch (algorithm) {
    case RNEA:
      return rnea(m, d, b.q[i], b.v[i], b.a[i])[0];
    case CRBA_LOCAL:
      return crba(m, d, b.q[i], Convention::LOCAL)(0, 0);
    case CRBA_WORLD:
      return crba(m, d, b.q[i], Convention::WORLD)(0, 0);
    case ABA_LOCAL:
      return aba(m, d, b.q[i], b.v[i], b.tau[i], Convention::LOCAL)[0];
    case ABA_WORLD:
      return aba(m, d, b.q[i], b.v[i], b.tau[i], Convention::WORLD)[0];
    case RNEA_DERIVATIVES:
      computeRNEADerivatives(m, d, b.q[i], b.v[i], b.a[i]);
      return d.dtau_dq(0, 0);
    case ABA_DERIVATIVES:
      computeABADerivatives(m, d, b.q[i], b.v[i], b.tau[i]);
      return d.ddq_dq(0, 0);
    case KINEMATICS:
      forwardKinematics(m, d, b.q[i]);
      return d.oMi.back().translation()[0];
    default:
      computeJointJacobian(m, d, b.q[i], JointIndex(m.njoints - 1), b.J);
      return b.J(0, 0);
  }
}

// Writes matrices one after the other, each in row order.
double *put(double *out, const Eigen::Ref<const Eigen::MatrixXd> &A) {
  Map<RowMatrix>(out, A.rows(), A.cols()) = A;
  return out + A.size();
}

std::vector<VectorXd> columns(const double *x, int count, int size) {
  std::vector<VectorXd> result;
  for (int i = 0; i < count; ++i) result.emplace_back(Map<const VectorXd>(x + i * size, size));
  return result;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void *bench_create(int joints, const int *parents, const int *kinds, const double *rows,
                          const double *gravity) {
  Model model;
  model.gravity.linear() = Map<const Eigen::Vector3d>(gravity);
  std::vector<double> armature;
  for (int k = 0; k < joints; ++k) {
    const double *x = rows + k * ROW;
    const SE3 X(Map<const RowMatrix3>(x), Map<const Eigen::Vector3d>(x + 9));
    const JointIndex j =
        model.addJoint(JointIndex(parents[k]), joint_model(kinds[k]), X, "j" + std::to_string(k));
    const Inertia I(x[12], Map<const Eigen::Vector3d>(x + 13), Map<const RowMatrix3>(x + 16));
    model.appendBodyToJoint(j, I);
    armature.insert(armature.end(), std::size_t(model.joints[j].nv()), x[25]);
  }
  model.armature = Map<const VectorXd>(armature.data(), model.nv);
  return new Bench(model);
}

EXPORT void bench_free(void *bench) { delete static_cast<Bench *>(bench); }

EXPORT void bench_states(void *bench, int count, const double *q, const double *v, const double *a,
                         const double *tau) {
  Bench &b = *static_cast<Bench *>(bench);
  b.q = columns(q, count, b.model.nq);
  b.v = columns(v, count, b.model.nv);
  b.a = columns(a, count, b.model.nv);
  b.tau = columns(tau, count, b.model.nv);
}

// Runs one algorithm for all states, `passes` times.
EXPORT void bench_run(void *bench, int algorithm, int passes) {
  Bench &b = *static_cast<Bench *>(bench);
  const int count = int(b.q.size());
  for (int k = 0; k < passes; ++k)
    for (int i = 0; i < count; ++i) b.sink += compute(b, algorithm, i);
}

// Writes the result for one state: τ; M; q̈; two derivatives; translation of the last joint; J.
EXPORT void bench_result(void *bench, int algorithm, int state, double *out) {
  Bench &b = *static_cast<Bench *>(bench);
  Data &d = b.data;
  compute(b, algorithm, state);
  switch (algorithm) {
    case RNEA: put(out, d.tau); break;
    case CRBA_LOCAL:
    case CRBA_WORLD:
      // the algorithm fills the upper triangle
      put(out, Eigen::MatrixXd(d.M.selfadjointView<Eigen::Upper>()));
      break;
    case ABA_LOCAL:
    case ABA_WORLD: put(out, d.ddq); break;
    case RNEA_DERIVATIVES: put(put(out, d.dtau_dq), d.dtau_dv); break;
    case ABA_DERIVATIVES: put(put(out, d.ddq_dq), d.ddq_dv); break;
    case KINEMATICS: put(out, d.oMi.back().translation()); break;
    default: put(out, b.J);
  }
}
