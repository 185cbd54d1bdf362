"""Constrained dynamics and motions by Pinocchio alone: M, h, Jacobians and accelerations of it.

States are by joint name, {joint: (q, v)}, those of followers included, so that mechanisms with
other orders of joints and with followers as couplings can be compared.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from dalembert.mechanism import Frame, Joint, JointKind, Mechanism
from dalembert.mechanism.io.state_layouts import to_pinocchio
from tests.agreement.test_random_trees import pin, pinocchio_model, se3

BEHIND = "joint of link {}"
State = dict[str, tuple[np.ndarray, np.ndarray]]
# of sizes of 1 m and 1 rad: what is below it is rounding
RANK_TOLERANCE = 1e-9
# s: trial steps beyond it leave the sphere of unit quaternions
LARGEST_STEP = 0.02


def solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the shortest x with A x = b; rows that are rounding alone say nothing."""
    U, s, V = np.linalg.svd(A, full_matrices=False)
    kept = s > RANK_TOLERANCE * max(1.0, s.max(initial=0.0))
    return V[kept].T @ ((U.T @ b)[kept] / s[kept])


def by_joint(mechanism: Mechanism, q: np.ndarray, v: np.ndarray) -> State:
    """Return positions and velocities by joint, and by the link behind it, of followers too."""
    found: State = {}
    places: dict[str, tuple[slice, slice]] = {}
    at_q = at_v = 0
    for joint in mechanism.moving_joints:
        places[joint.name] = slice(at_q, at_q + joint.nq), slice(at_v, at_v + joint.nv)
        at_q, at_v = at_q + joint.nq, at_v + joint.nv
    for joint in mechanism.joints:
        if joint.kind is JointKind.FIXED:
            continue
        master, k, c = mechanism.master_of(joint)
        where_q, where_v = places[master.name]
        own = q[where_q], v[where_v]
        if joint.mimic:
            own = float(k) * q[where_q] + float(c), float(k) * v[where_v]
        found[joint.name] = found[BEHIND.format(joint.child)] = own
    return found


def key_of(joint: Joint, known: Container[str]) -> str:
    """Return where a joint is in a state: by its name, or by its link where that was changed."""
    return joint.name if joint.name in known else BEHIND.format(joint.child)


def state_of(mechanism: Mechanism, state: State) -> tuple[np.ndarray, np.ndarray]:
    """Return q and v of another mechanism with the same joints."""
    parts = [state[key_of(joint, state)] for joint in mechanism.moving_joints]
    empty = [np.zeros(0)]
    return np.concatenate([x for x, _ in parts] or empty), np.concatenate(
        [x for _, x in parts] or empty
    )


class Oracle:
    """A mechanism in Pinocchio, with its constraints and resistance by hand."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.model = mechanism, pinocchio_model(mechanism)
        self.ends = [
            (loop.kind, self._frame(loop.first), self._frame(loop.second))
            for loop in mechanism.loops
        ]
        self.data = self.model.createData()

    def _frame(self, end: Frame) -> int:
        if end.link == self.mechanism.root:
            new = pin.Frame(end.name + "!", 0, se3(end.placement), pin.FrameType.OP_FRAME)
        else:
            at = self.model.frames[self.model.getFrameId(end.link, pin.FrameType.BODY)]
            X = at.placement * se3(end.placement)
            new = pin.Frame(end.name + "!", at.parentJoint, X, pin.FrameType.OP_FRAME)
        return self.model.addFrame(new, False)

    def layout(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return Pinocchio's q and G with v_pinocchio = G v."""
        eye = np.eye(self.mechanism.nv)
        theirs, G = to_pinocchio(self.mechanism, q, eye, model=self.model)
        return theirs[0] if theirs.ndim > 1 else theirs, G.T

    def terms(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return M, the forces without constraints (resistance - h), A and γ with A q̈ = γ."""
        m, d = self.model, self.data
        pq, G = self.layout(q)
        pv = G @ v
        upper = np.triu(pin.crba(m, d, pq))
        M = G.T @ (upper + upper.T - np.diag(np.diag(upper))) @ G
        h = pin.rnea(m, d, pq, pv, np.zeros(m.nv))
        state = by_joint(self.mechanism, q, v)
        right = G.T @ (self.resistance(state) - h)
        rows, gammas = self._loops(pq, pv)
        more, others = self._couplings(state)
        A = np.concatenate([rows @ G, more]) if len(rows) + len(more) else np.zeros((0, len(v)))
        return M, right, A, np.concatenate([gammas, others])

    def resistance(self, state: State) -> np.ndarray:
        """Return -(damping v + stiffness (q - rest) + friction sign v) in Pinocchio's places."""
        found = np.zeros(self.model.nv)
        for joint in self.mechanism.joints:
            if joint.kind is JointKind.FIXED or joint.resistance.is_none:
                continue
            at = self.model.joints[self.model.getJointId(joint.name)]
            q, v = state[joint.name]
            own = joint.resistance
            force = float(own.damping) * v + float(own.friction) * np.sign(v)
            if joint.is_scalar:
                force = force + float(own.stiffness) * (q - float(own.rest))
            found[at.idx_v : at.idx_v + at.nv] = -force
        return found

    def _loops(self, pq: np.ndarray, pv: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        m, d, world = self.model, self.data, pin.LOCAL_WORLD_ALIGNED
        rows, gammas = [np.zeros((0, m.nv))], [np.zeros(0)]
        if self.ends:
            pin.forwardKinematics(m, d, pq, pv, np.zeros(m.nv))
            pin.computeJointJacobians(m, d, pq)
            pin.updateFramePlacements(m, d)
        for kind, *frames in self.ends:
            size = 3 if kind == "point" else 6
            one, two = (pin.getFrameJacobian(m, d, f, world)[:size] for f in frames)
            a, b = (pin.getFrameClassicalAcceleration(m, d, f, world).vector[:size] for f in frames)
            rows.append(one - two)
            gammas.append(b - a)
        return np.concatenate(rows), np.concatenate(gammas)

    def _couplings(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        nv = self.mechanism.nv
        places: dict[str, int] = {}
        at = 0
        for joint in self.mechanism.moving_joints:
            places[joint.name], at = at, at + joint.nv
        rows, gammas = [np.zeros((0, nv))], [np.zeros(0)]
        for coupling in self.mechanism.couplings:
            # y - p(x) = 0: ÿ - p'(x) ẍ = p''(x) ẋ²
            row, gamma = np.zeros((1, nv)), np.zeros(1)
            row[0, places[coupling.joint]] += 1
            for other in coupling.others:
                x, dx = (float(k[0]) for k in state[other])
                c = [float(k) for k in coupling.law.coefficients(4) or ()]
                p = np.polynomial.Polynomial(c)
                row[0, places[other]] -= p.deriv()(x)
                gamma[0] = p.deriv(2)(x) * dx * dx
            rows.append(row)
            gammas.append(gamma)
        return np.concatenate(rows), np.concatenate(gammas)

    def acceleration(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return q̈ by Gauss's principle; redundant rows do no harm."""
        M, right, A, gamma = self.terms(q, v)
        free = np.linalg.solve(M, right + tau)
        if not len(A):
            return free
        # in the metric of M: q̈ = q̈_free + M^{-1/2} (A M^{-1/2})⁺ (γ - A q̈_free)
        L = np.linalg.cholesky(M)
        B = np.linalg.solve(L, A.T).T
        return free + np.linalg.solve(L.T, solved(B, gamma - A @ free))

    def margin(self, q: np.ndarray, v: np.ndarray) -> float:
        """Return how far the rows are from losing rank: least over largest singular value."""
        values = np.linalg.svd(self.terms(q, v)[2], compute_uv=False)
        kept = values[values > RANK_TOLERANCE * max(1.0, values.max(initial=0.0))]
        return float(kept.min() / kept.max()) if len(kept) else 1.0

    def admissible(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the velocity next to v that the constraints allow."""
        A = self.terms(q, v)[2]
        return v - solved(A, A @ v) if len(A) else v

    def motion(self, q: np.ndarray, v: np.ndarray, seconds: float) -> tuple[np.ndarray, float]:
        """Return q after some seconds without input, and the least margin on the way."""
        from scipy.integrate import solve_ivp

        nq, nv, tau = len(q), len(v), np.zeros(len(v))

        def rate(t: float, x: np.ndarray) -> np.ndarray:
            at = self.normalised(x[:nq])
            return np.concatenate([self.velocity(at, x[nq:]), self.acceleration(at, x[nq:], tau)])

        found: Any = solve_ivp(
            rate,
            (0.0, seconds),
            np.concatenate([q, v]),
            method="DOP853",
            rtol=1e-9,
            atol=1e-10,
            max_step=LARGEST_STEP,
        )
        assert found.success, found.message
        margins = [
            self.margin(self.normalised(x[:nq]), x[nq : nq + nv])
            for x in found.y.T[:: max(1, len(found.t) // 20)]
        ]
        return self.normalised(found.y[:nq, -1]), min(margins)

    def normalised(self, q: np.ndarray) -> np.ndarray:
        """Return q with quaternions of length 1."""
        q, at = q.copy(), 0
        for joint in self.mechanism.moving_joints:
            at += joint.nq
            if not joint.is_scalar:
                q[at - 4 : at] /= np.linalg.norm(q[at - 4 : at])
        return q

    def velocity(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return q̇: ½ a ω of quaternions, R u of positions of a free body."""
        found, at_q, at_v = np.zeros(len(q)), 0, 0
        for joint in self.mechanism.moving_joints:
            own = v[at_v : at_v + joint.nv]
            if joint.is_scalar:
                found[at_q] = own[0]
            else:
                end = at_q + joint.nq
                a = q[end - 4 : end]
                w, r, omega = a[0], a[1:], own[-3:]
                found[end - 4] = -0.5 * r @ omega
                found[end - 3 : end] = 0.5 * (w * omega + np.cross(r, omega))
                if joint.nq == 7:
                    u = own[:3]
                    # R u = u + 2 r × (r × u + w u) of a unit quaternion
                    found[at_q : at_q + 3] = u + 2 * np.cross(r, np.cross(r, u) + w * u)
            at_q, at_v = at_q + joint.nq, at_v + joint.nv
        return found
