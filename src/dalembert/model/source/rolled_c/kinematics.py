"""C text of the rolled source: poses in the world, Jacobian of a link."""

WORLD = """
/* R, p of every body in the world */
static void ${p}_world(const $real *q, $real (*R)[9], $real (*p)[3])
{
    int i, k;
    ${p}_poses(q, R, p);
    for (i = 0; i < $NB; ++i) {
        const int above = ${p}_bodies[i].parent;
        $real A[9], a[3];
        if (above >= 0) {
            ${p}_multiply(R[above], R[i], A);
            ${p}_rotate(R[above], p[i], a);
            for (k = 0; k < 9; ++k)
                R[i][k] = A[k];
            for (k = 0; k < 3; ++k)
                p[i][k] = p[above][k] + a[k];
        }
    }
}
"""

FORWARD_KINEMATICS = """
{
    $real RB[$NB][9], pB[$NB][3];
    int i, k;
    ${p}_world(q, RB, pB);
    for (i = 0; i < $NL; ++i) {
        const ${p}_link *l = &${p}_links[i];
        $real *Ri = R + 9*i, *pi = p + 3*i;
        if (l->body < 0) {
            for (k = 0; k < 9; ++k)
                Ri[k] = l->R[k];
            for (k = 0; k < 3; ++k)
                pi[k] = l->p[k];
        } else {
            ${p}_multiply(RB[l->body], l->R, Ri);
            ${p}_rotate(RB[l->body], l->p, pi);
            for (k = 0; k < 3; ++k)
                pi[k] += pB[l->body][k];
        }
    }
}
"""

JACOBIAN = """
{
    $real RB[$NB][9], pB[$NB][3], point[3];
    int i, k, c;
    for (k = 0; k < 6*$NV; ++k)
        J[k] = 0;
    if (link < 0 || link >= $NL || ${p}_links[link].body < 0)
        return;
    ${p}_world(q, RB, pB);
    i = ${p}_links[link].body;
    ${p}_rotate(RB[i], ${p}_links[link].p, point);
    for (k = 0; k < 3; ++k)
        point[k] += pB[i][k];
    for (; i >= 0; i = ${p}_bodies[i].parent) {
        const ${p}_body *b = &${p}_bodies[i];
        for (c = 0; c < b->nv; ++c) {
            $real unit[6] = {0, 0, 0, 0, 0, 0}, u[3], r[3], uw[3], rw[3], arm[3];
            unit[c] = 1;
            ${p}_rates(b, unit, u, r);
            ${p}_rotate(RB[i], u, uw);
            ${p}_rotate(RB[i], r, rw);
            /* velocity of the point: u + r x (point - p) */
            for (k = 0; k < 3; ++k)
                arm[k] = point[k] - pB[i][k];
            ${p}_add_cross(rw, arm, uw);
            for (k = 0; k < 3; ++k) {
                J[k*$NV + b->v + c] += uw[k];
                J[(3 + k)*$NV + b->v + c] += rw[k];
            }
        }
    }
}
"""
