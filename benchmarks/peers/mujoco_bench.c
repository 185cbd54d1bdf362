/* MuJoCo's smooth dynamics over stored states, the stages of its pipeline that each task needs. */

#include <mujoco/mujoco.h>
#include <string.h>

enum { INVERSE, MASS_MATRIX, FORWARD, KINEMATICS, JACOBIAN };

/* One task at one state. `out` gets what MuJoCo does not keep in its data: force, acceleration, J. */
static void compute(const mjModel *m, mjData *d, int task, int body, const double *q,
                    const double *v, const double *u, double *out) {
  const int n = (int)m->nv;
  memcpy(d->qpos, q, sizeof(double) * (size_t)m->nq);
  mj_kinematics(m, d);
  if (task == KINEMATICS) return;
  mj_comPos(m, d);
  if (task == JACOBIAN) {
    mj_jac(m, d, out, out + 3 * n, d->xpos + 3 * body, body);
    return;
  }
  if (task != INVERSE) mj_makeM(m, d);
  if (task == MASS_MATRIX) return;
  memcpy(d->qvel, v, sizeof(double) * (size_t)n);
  mj_comVel(m, d);
  if (task == INVERSE) {
    memcpy(d->qacc, u, sizeof(double) * (size_t)n);
    mj_rne(m, d, 1, out);
    for (int i = 0; i < n; ++i) out[i] += m->dof_armature[i] * u[i];
    return;
  }
  /* M q̈ = τ - bias */
  mj_factorM(m, d);
  mj_rne(m, d, 0, d->qfrc_bias);
  for (int i = 0; i < n; ++i) d->qfrc_smooth[i] = u[i] - d->qfrc_bias[i];
  mj_solveM(m, d, out, d->qfrc_smooth, 1);
}

#define EXPORT __attribute__((visibility("default")))

/* Runs one task for all states, `passes` times. */
EXPORT void bench_run(const mjModel *m, mjData *d, int task, int body, int passes, int count,
                      const double *q, const double *v, const double *u, double *out) {
  for (int k = 0; k < passes; ++k)
    for (int i = 0; i < count; ++i)
      compute(m, d, task, body, q + i * m->nq, v + i * m->nv, u + i * m->nv, out);
}
