"""C text of the rolled source: Newton-Euler, composite bodies, factorisation of M.

References: Luh, Walker and Paul (1980); Walker and Orin (1982); Featherstone, Rigid Body Dynamics
Algorithms (2008), tables 5.1, 6.2, 6.3 and 6.4.
"""

NEWTON_EULER = """
/* tau = M a + h at the poses R, p, by Newton-Euler; no v or no a: they are zero */
static void ${p}_newton_euler($real (*R)[9], $real (*p)[3], const $real *v, const $real *a,
                              $real *tau)
{
    static const $real still[6] = {0};
    $real w[$NB][3], wd[$NB][3], ao[$NB][3], f[$NB][3], n[$NB][3];
    int i, k;
    /* outward: angular velocity, its rate, acceleration of the origin */
    for (i = 0; i < $NB; ++i) {
        const ${p}_body *b = &${p}_bodies[i];
        const $real *wp = b->parent < 0 ? still : w[b->parent];
        const $real *wdp = b->parent < 0 ? still : wd[b->parent];
        const $real *ap = b->parent < 0 ? ${p}_lift : ao[b->parent];
        $real u[3], r[3], ud[3], rd[3], w0[3], s[3], t[3];
        ${p}_rates(b, v ? v + b->v : still, u, r);
        ${p}_rates(b, a ? a + b->v : still, ud, rd);
        /* w = w0 + r */
        ${p}_unrotate(R[i], wp, w0);
        for (k = 0; k < 3; ++k)
            w[i][k] = w0[k] + r[k];
        /* wd = R^T wdp + rd + w0 x r */
        ${p}_unrotate(R[i], wdp, wd[i]);
        for (k = 0; k < 3; ++k)
            wd[i][k] += rd[k];
        ${p}_add_cross(w0, r, wd[i]);
        /* ao = R^T (ap + wdp x p + wp x (wp x p)) + ud + (2 w0 + r) x u */
        for (k = 0; k < 3; ++k) {
            s[k] = 0;
            t[k] = ap[k];
        }
        ${p}_add_cross(wp, p[i], s);
        ${p}_add_cross(wdp, p[i], t);
        ${p}_add_cross(wp, s, t);
        ${p}_unrotate(R[i], t, ao[i]);
        for (k = 0; k < 3; ++k) {
            ao[i][k] += ud[k];
            s[k] = w0[k] + w[i][k];
        }
        ${p}_add_cross(s, u, ao[i]);
        /* f = m ao + wd x h + w x (w x h), n = I wd + h x ao + w x I w */
        ${p}_momentum(b->m, b->h, b->I, ao[i], wd[i], f[i], n[i]);
        ${p}_momentum(0, b->h, b->I, still, w[i], s, t);
        ${p}_add_cross(w[i], s, f[i]);
        ${p}_add_cross(w[i], t, n[i]);
    }
    /* inward: what each joint feels, and what its parent carries */
    for (k = 0; k < $NV; ++k)
        tau[k] = 0;
    for (i = $NB - 1; i >= 0; --i) {
        const ${p}_body *b = &${p}_bodies[i];
        const $real *rate = a ? a + b->v : still;
        $real t[6];
        ${p}_project(b, f[i], n[i], t);
        for (k = 0; k < b->nv; ++k)
            tau[b->v + k] += t[k] + b->armature*rate[k];
        /* momentum of the armature turns with a floating body */
        if (v && b->nv == 6) {
            $real drift[3] = {0, 0, 0};
            ${p}_add_cross(v + b->v + 3, v + b->v, drift);
            for (k = 0; k < 3; ++k)
                tau[b->v + k] += b->armature*drift[k];
        }
        if (b->parent >= 0) {
            ${p}_carry(R[i], p[i], f[i], n[i]);
            for (k = 0; k < 3; ++k) {
                f[b->parent][k] += f[i][k];
                n[b->parent][k] += n[i][k];
            }
        }
    }
}
"""

MERGE = """
/* adds the inertia (m, h, I) of a body at R, p to that of its parent */
static void ${p}_merge(const $real *R, const $real *p, $real m, const $real *h, const $real *I,
                       $real *mp, $real *hp, $real *Ip)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    $real T[9], A[9], c[3], k;
    int i, j, l;
    /* h' = R h + m p */
    ${p}_rotate(R, h, c);
    for (i = 0; i < 3; ++i)
        hp[i] += c[i] + m*p[i];
    *mp += m;
    /* I' = R I R^T + (2 p c + m p p) 1 - (p c^T + c p^T) - m p p^T, with c = R h */
    T[0] = I[0];
    T[4] = I[1];
    T[8] = I[2];
    T[1] = T[3] = I[3];
    T[2] = T[6] = I[4];
    T[5] = T[7] = I[5];
    ${p}_multiply(R, T, A);
    k = 0;
    for (i = 0; i < 3; ++i)
        k += p[i]*(2*c[i] + m*p[i]);
    for (l = 0; l < 6; ++l) {
        i = row[l];
        j = column[l];
        Ip[l] += A[3*i]*R[3*j] + A[3*i + 1]*R[3*j + 1] + A[3*i + 2]*R[3*j + 2]
            - p[i]*c[j] - c[i]*p[j] - m*p[i]*p[j];
        if (i == j)
            Ip[l] += k;
    }
}
"""

COMPOSITE = """
/* M at the poses R, p, by composite bodies */
static void ${p}_composite($real (*R)[9], $real (*p)[3], $real *M$stride)
{
    $real m[$NB], h[$NB][3], I[$NB][6];
    int i, j, k, l;
    for (i = 0; i < $NB; ++i) {
        const ${p}_body *b = &${p}_bodies[i];
        m[i] = b->m;
        for (k = 0; k < 3; ++k)
            h[i][k] = b->h[k];
        for (k = 0; k < 6; ++k)
            I[i][k] = b->I[k];
    }
    for (i = $NB - 1; i >= 0; --i) {
        j = ${p}_bodies[i].parent;
        if (j >= 0)
            ${p}_merge(R[i], p[i], m[i], h[i], I[i], &m[j], h[j], I[j]);
    }
    for (k = 0; k < $NV*$NV; ++k)
        M[k$step] = 0;
    for (i = 0; i < $NB; ++i) {
        const ${p}_body *b = &${p}_bodies[i];
        for (k = 0; k < b->nv; ++k) {
            /* momentum of the composite body for a unit velocity, felt by this joint ... */
            const int at = b->v + k;
            $real unit[6] = {0, 0, 0, 0, 0, 0}, u[3], r[3], f[3], n[3], t[6];
            unit[k] = 1;
            ${p}_rates(b, unit, u, r);
            ${p}_momentum(m[i], h[i], I[i], u, r, f, n);
            ${p}_project(b, f, n, t);
            for (l = 0; l < k; ++l) {
                M[(at*$NV + b->v + l)$step] += t[l];
                M[((b->v + l)*$NV + at)$step] += t[l];
            }
            M[(at*$NV + at)$step] += t[k] + b->armature;
            /* ... and by every joint above it; joints that share a velocity meet twice */
            for (j = i; ${p}_bodies[j].parent >= 0;) {
                ${p}_carry(R[j], p[j], f, n);
                j = ${p}_bodies[j].parent;
                ${p}_project(&${p}_bodies[j], f, n, t);
                for (l = 0; l < ${p}_bodies[j].nv; ++l) {
                    const int other = ${p}_bodies[j].v + l;
                    M[(at*$NV + other)$step] += t[l];
                    M[(other*$NV + at)$step] += t[l];
                }
            }
        }
    }
}
"""

SOLVE = """
/* x = M^-1 x by M = L^T D L, which fills nothing off the paths to the root; M is overwritten */
static void ${p}_solve($real *M, $real *x)
{
    int i, j, k;
    for (k = $NV - 1; k >= 0; --k) {
        for (i = ${p}_above[k]; i >= 0; i = ${p}_above[i]) {
            const $real l = M[k*$NV + i]/M[k*$NV + k];
            for (j = i; j >= 0; j = ${p}_above[j])
                M[i*$NV + j] -= M[k*$NV + j]*l;
            M[k*$NV + i] = l;
        }
    }
    for (i = $NV - 1; i >= 0; --i)
        for (j = ${p}_above[i]; j >= 0; j = ${p}_above[j])
            x[j] -= M[i*$NV + j]*x[i];
    for (i = 0; i < $NV; ++i) {
        x[i] /= M[i*$NV + i];
        for (j = ${p}_above[i]; j >= 0; j = ${p}_above[j])
            x[i] -= M[i*$NV + j]*x[j];
    }
}
"""
