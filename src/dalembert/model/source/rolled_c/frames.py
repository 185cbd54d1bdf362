"""C text of the rolled source: vectors, and where a joint puts its body."""

ROTATE = """
/* b = R a */
static void ${p}_rotate(const $real *R, const $real *a, $real *b)
{
    b[0] = R[0]*a[0] + R[1]*a[1] + R[2]*a[2];
    b[1] = R[3]*a[0] + R[4]*a[1] + R[5]*a[2];
    b[2] = R[6]*a[0] + R[7]*a[1] + R[8]*a[2];
}
"""

UNROTATE = """
/* b = R^T a */
static void ${p}_unrotate(const $real *R, const $real *a, $real *b)
{
    b[0] = R[0]*a[0] + R[3]*a[1] + R[6]*a[2];
    b[1] = R[1]*a[0] + R[4]*a[1] + R[7]*a[2];
    b[2] = R[2]*a[0] + R[5]*a[1] + R[8]*a[2];
}
"""

ADD_CROSS = """
/* c += a x b */
static void ${p}_add_cross(const $real *a, const $real *b, $real *c)
{
    c[0] += a[1]*b[2] - a[2]*b[1];
    c[1] += a[2]*b[0] - a[0]*b[2];
    c[2] += a[0]*b[1] - a[1]*b[0];
}
"""

MULTIPLY = """
/* C = A B */
static void ${p}_multiply(const $real *A, const $real *B, $real *C)
{
    int i, j;
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j)
            C[3*i + j] = A[3*i]*B[j] + A[3*i + 1]*B[3 + j] + A[3*i + 2]*B[6 + j];
}
"""

PLACE = """
/* where the joint puts its body: R, p in the frame of the parent */
static void ${p}_place(const ${p}_body *b, const $real *q, $real *R, $real *p)
{
    int i;
    if (b->nv == 1) {
        const $real x = b->scale*q[b->q] + b->offset;
        const $real s = $sin(b->turn*x), c = $cos(b->turn*x), d = b->slide*x;
        for (i = 0; i < 3; ++i) {
            const $real *r = b->R + 3*i;
            R[3*i] = r[0]*c + r[1]*s;
            R[3*i + 1] = r[1]*c - r[0]*s;
            R[3*i + 2] = r[2];
            p[i] = b->p[i] + r[2]*d;
        }
    } else {
        const $real *u = q + b->q + (b->nv == 6 ? 3 : 0);
        const $real w = u[0], x = u[1], y = u[2], z = u[3];
        $real Q[9];
        Q[0] = 1 - 2*(y*y + z*z);
        Q[1] = 2*(x*y - w*z);
        Q[2] = 2*(x*z + w*y);
        Q[3] = 2*(x*y + w*z);
        Q[4] = 1 - 2*(x*x + z*z);
        Q[5] = 2*(y*z - w*x);
        Q[6] = 2*(x*z - w*y);
        Q[7] = 2*(y*z + w*x);
        Q[8] = 1 - 2*(x*x + y*y);
        ${p}_multiply(b->R, Q, R);
        for (i = 0; i < 3; ++i)
            p[i] = 0;
        if (b->nv == 6)
            ${p}_rotate(b->R, q + b->q, p);
        for (i = 0; i < 3; ++i)
            p[i] += b->p[i];
    }
}
"""

POSES = """
/* R, p of every body in the frame of its parent */
static void ${p}_poses(const $real *q, $real (*R)[9], $real (*p)[3])
{
    int i;
    for (i = 0; i < $NB; ++i)
        ${p}_place(&${p}_bodies[i], q, R[i], p[i]);
}
"""

RATES = """
/* twist (u linear, r angular) of the body against its parent, in the frame of the body */
static void ${p}_rates(const ${p}_body *b, const $real *v, $real *u, $real *r)
{
    int i;
    for (i = 0; i < 3; ++i)
        u[i] = r[i] = 0;
    if (b->nv == 1) {
        u[2] = b->slide*b->rate*v[0];
        r[2] = b->turn*b->rate*v[0];
    } else {
        for (i = 0; i < 3; ++i) {
            if (b->nv == 6)
                u[i] = v[i];
            r[i] = v[b->nv - 3 + i];
        }
    }
}
"""

PROJECT = """
/* t = what the joint feels of the force f and the moment n on its body */
static void ${p}_project(const ${p}_body *b, const $real *f, const $real *n, $real *t)
{
    int i;
    if (b->nv == 1) {
        t[0] = b->rate*(b->slide*f[2] + b->turn*n[2]);
    } else {
        for (i = 0; i < 3; ++i) {
            if (b->nv == 6)
                t[i] = f[i];
            t[b->nv - 3 + i] = n[i];
        }
    }
}
"""

MOMENTUM = """
/* f = m u + w x h, n = I w + h x u */
static void ${p}_momentum($real m, const $real *h, const $real *I, const $real *u,
                          const $real *w, $real *f, $real *n)
{
    int i;
    for (i = 0; i < 3; ++i)
        f[i] = m*u[i];
    n[0] = I[0]*w[0] + I[3]*w[1] + I[4]*w[2];
    n[1] = I[3]*w[0] + I[1]*w[1] + I[5]*w[2];
    n[2] = I[4]*w[0] + I[5]*w[1] + I[2]*w[2];
    ${p}_add_cross(w, h, f);
    ${p}_add_cross(h, u, n);
}
"""

CARRY = """
/* the force f and the moment n about the origin of a body, in the frame of its parent */
static void ${p}_carry(const $real *R, const $real *p, $real *f, $real *n)
{
    $real a[3], b[3];
    int i;
    ${p}_rotate(R, f, a);
    ${p}_rotate(R, n, b);
    ${p}_add_cross(p, a, b);
    for (i = 0; i < 3; ++i) {
        f[i] = a[i];
        n[i] = b[i];
    }
}
"""
