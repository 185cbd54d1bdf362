"""C text of the rolled source: forward dynamics by articulated bodies, with memory O(n).

Reference: Featherstone, Rigid Body Dynamics Algorithms (2008), table 7.1. Accelerations are those
of the origins as seen from rest, so that no velocity but the angular one is needed. The velocities
of a joint are eliminated one after the other.
"""

TRANSFER = """
/* adds A, seen in the frame of the parent, to P: blocks of f = L u + H w, n = H^T u + J w */
static void ${p}_transfer(const $real *R, const $real *p, const $real *A, $real *P)
{
    $real B[4][9], S[9], T[9];
    int i, j, k, l;
    /* each block as R B R^T */
    for (k = 0; k < 4; ++k) {
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j)
                S[3*i + j] = A[6*(i + 3*(k/2)) + j + 3*(k%2)];
        ${p}_multiply(R, S, T);
        for (i = 0; i < 3; ++i)
            ${p}_rotate(R, T + 3*i, B[k] + 3*i);
    }
    /* H = H - L [p], then n + p x f: rows of B [p] are rows of B times p, negative */
    for (i = 0; i < 3; ++i) {
        ${p}_add_cross(p, B[0] + 3*i, B[1] + 3*i);
        ${p}_add_cross(p, B[2] + 3*i, B[3] + 3*i);
    }
    for (k = 0; k < 2; ++k) {
        for (j = 0; j < 3; ++j) {
            $real f[3], n[3] = {0, 0, 0};
            for (i = 0; i < 3; ++i)
                f[i] = B[k][3*i + j];
            ${p}_add_cross(p, f, n);
            for (i = 0; i < 3; ++i)
                B[2 + k][3*i + j] += n[i];
        }
    }
    for (k = 0; k < 2; ++k)
        for (l = 0; l < 2; ++l)
            for (i = 0; i < 3; ++i)
                for (j = 0; j < 3; ++j)
                    P[6*(i + 3*k) + j + 3*l] += B[2*k + l][3*i + j];
}
"""

ARTICULATED = """
/* a = M^-1 (tau - h) at the poses R, p, by articulated bodies */
static void ${p}_articulated($real (*R)[9], $real (*p)[3], const $real *v, const $real *tau,
                             $real *a)
{
    static const $real still[3] = {0, 0, 0};
    $real w[$NB][3], c[$NB][6], A[$NB][36], f[$NB][6], U[$NV][6], D[$NV], acc[$NB][6];
    int i, j, k, l;
    /* outward: velocities, accelerations that they cause, forces on bodies that keep them */
    for (i = 0; i < $NB; ++i) {
        const ${p}_body *b = &${p}_bodies[i];
        const $real *wp = b->parent < 0 ? still : w[b->parent];
        $real u[3], r[3], w0[3], s[3], t[3];
        ${p}_rates(b, v + b->v, u, r);
        ${p}_unrotate(R[i], wp, w0);
        for (k = 0; k < 3; ++k) {
            w[i][k] = w0[k] + r[k];
            s[k] = t[k] = c[i][3 + k] = 0;
        }
        /* c = R^T (wp x (wp x p)) + (w0 + w) x u, w0 x r */
        ${p}_add_cross(wp, p[i], s);
        ${p}_add_cross(wp, s, t);
        ${p}_unrotate(R[i], t, c[i]);
        for (k = 0; k < 3; ++k)
            s[k] = w0[k] + w[i][k];
        ${p}_add_cross(s, u, c[i]);
        ${p}_add_cross(w0, r, c[i] + 3);
        /* f = w x (w x h), w x I w */
        for (k = 0; k < 6; ++k)
            f[i][k] = 0;
        ${p}_momentum(0, b->h, b->I, still, w[i], s, t);
        ${p}_add_cross(w[i], s, f[i]);
        ${p}_add_cross(w[i], t, f[i] + 3);
        /* A: columns are the momenta of unit twists */
        for (j = 0; j < 6; ++j) {
            $real x[6] = {0, 0, 0, 0, 0, 0};
            x[j] = 1;
            ${p}_momentum(b->m, b->h, b->I, x, x + 3, s, t);
            for (k = 0; k < 3; ++k) {
                A[i][6*k + j] = s[k];
                A[i][6*(3 + k) + j] = t[k];
            }
        }
    }
    /* inward: eliminate the velocities of each joint, then give the rest to its parent */
    for (i = $NB - 1; i >= 0; --i) {
        const ${p}_body *b = &${p}_bodies[i];
        $real drift[3] = {0, 0, 0};
        if (b->nv == 6)
            ${p}_add_cross(v + b->v + 3, v + b->v, drift);
        for (l = b->nv - 1; l >= 0; --l) {
            $real unit[6] = {0, 0, 0, 0, 0, 0}, s[6], t[6], *y = U[b->v + l], e;
            unit[l] = 1;
            ${p}_rates(b, unit, s, s + 3);
            for (k = 0; k < 6; ++k) {
                y[k] = 0;
                for (j = 0; j < 6; ++j)
                    y[k] += A[i][6*k + j]*s[j];
            }
            ${p}_project(b, y, y + 3, t);
            e = t[l] + b->armature;
            ${p}_project(b, f[i], f[i] + 3, t);
            /* a holds what the joint gives beyond what keeps the velocities */
            a[b->v + l] = tau[b->v + l] - t[l];
            if (b->nv == 6 && l < 3)
                a[b->v + l] -= b->armature*drift[l];
            D[b->v + l] = e;
            for (k = 0; k < 6; ++k) {
                for (j = 0; j < 6; ++j)
                    A[i][6*k + j] -= y[k]*y[j]/e;
                f[i][k] += y[k]*a[b->v + l]/e;
            }
        }
        if (b->parent >= 0) {
            for (k = 0; k < 6; ++k)
                for (j = 0; j < 6; ++j)
                    f[i][k] += A[i][6*k + j]*c[i][j];
            ${p}_carry(R[i], p[i], f[i], f[i] + 3);
            for (k = 0; k < 6; ++k)
                f[b->parent][k] += f[i][k];
            ${p}_transfer(R[i], p[i], A[i], A[b->parent]);
        }
    }
    /* outward: accelerations */
    for (i = 0; i < $NB; ++i) {
        const ${p}_body *b = &${p}_bodies[i];
        const $real *up = b->parent < 0 ? ${p}_lift : acc[b->parent];
        const $real *wdp = b->parent < 0 ? still : acc[b->parent] + 3;
        $real t[3] = {up[0], up[1], up[2]};
        ${p}_add_cross(wdp, p[i], t);
        ${p}_unrotate(R[i], t, acc[i]);
        ${p}_unrotate(R[i], wdp, acc[i] + 3);
        for (k = 0; k < 6; ++k)
            acc[i][k] += c[i][k];
        for (l = 0; l < b->nv; ++l) {
            $real unit[6] = {0, 0, 0, 0, 0, 0}, s[6], x = a[b->v + l];
            for (k = 0; k < 6; ++k)
                x -= U[b->v + l][k]*acc[i][k];
            a[b->v + l] = unit[l] = x/D[b->v + l];
            ${p}_rates(b, unit, s, s + 3);
            for (k = 0; k < 6; ++k)
                acc[i][k] += s[k];
        }
    }
}
"""
