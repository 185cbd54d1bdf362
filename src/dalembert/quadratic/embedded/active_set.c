/*
 * Minimise x'Hx/2 + f'x under lower <= (x, Ax) <= upper, for H positive definite.
 *
 * The dual active-set method of D. Goldfarb and A. Idnani, "A numerically stable dual method for
 * solving strictly convex quadratic programs", Mathematical Programming 27 (1983). It begins at the
 * minimum without conditions and adds the one that is exceeded most, until none is: so it needs no
 * point to start from, and where there is no solution it says so. Equations that follow from others
 * do no harm.
 *
 * QP_UNKNOWNS, QP_ROWS, QP_REAL, QP_SQRT, QP_TOLERANCE and QP_UNBOUNDED are defined before this
 * text. Nothing is allocated: all memory is the caller's workspace.
 */

#define QP_CONDITIONS (QP_UNKNOWNS + QP_ROWS)

/* every addition is followed by few removals; more than this is cycling by rounding */
#define QP_MAX_CHANGES (20 * (QP_CONDITIONS) + 100)

/* J = L^-T Q of H = L L', column by column; R is upper triangular, column by column */
#define QP_J(i, k) (w->J[(k) * QP_UNKNOWNS + (i)])
#define QP_R(i, k) (w->R[(k) * QP_UNKNOWNS + (i)])

static QP_REAL qp_abs(QP_REAL x) { return x < 0 ? -x : x; }

/* Entry i of the normal of a condition: unit vectors for bounds, rows of A behind them. */
static QP_REAL qp_normal(const QP_WORK *w, int condition, int i)
{
    if (condition < QP_UNKNOWNS) {
        return condition == i ? 1 : 0;
    }
    return w->A[(condition - QP_UNKNOWNS) * QP_UNKNOWNS + i];
}

/* Factor H into J = L^-T; return 0 unless it is positive definite. */
static int qp_factor(QP_WORK *w)
{
    const int n = QP_UNKNOWNS;
    QP_REAL *L = w->R;
    for (int k = 0; k < n; k++) {
        for (int i = k; i < n; i++) {
            QP_REAL sum = w->H[i * n + k];
            for (int j = 0; j < k; j++) {
                sum -= L[i * n + j] * L[k * n + j];
            }
            if (i == k) {
                if (!(sum > 0)) {
                    return 0;
                }
                L[k * n + k] = QP_SQRT(sum);
            } else {
                L[i * n + k] = sum / L[k * n + k];
            }
        }
    }
    /* J' = L^-1, row by row: L J' = 1 */
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            QP_REAL sum = i == k ? 1 : 0;
            for (int j = k; j < i; j++) {
                sum -= L[i * n + j] * QP_J(k, j);
            }
            QP_J(k, i) = i < k ? 0 : sum / L[i * n + i];
        }
    }
    return 1;
}

/* x = -J J' f, the minimum without conditions. */
static void qp_free_minimum(QP_WORK *w)
{
    for (int i = 0; i < QP_UNKNOWNS; i++) {
        w->x[i] = 0;
    }
    for (int k = 0; k < QP_UNKNOWNS; k++) {
        QP_REAL d = 0;
        for (int i = 0; i < QP_UNKNOWNS; i++) {
            d += QP_J(i, k) * w->f[i];
        }
        for (int i = 0; i < QP_UNKNOWNS; i++) {
            w->x[i] -= QP_J(i, k) * d;
        }
    }
}

/* d = J' n; z = J2 d2, the step of x; r = R^-1 d1, the step of the multipliers. */
static void qp_directions(QP_WORK *w, int condition, int sign)
{
    const int n = QP_UNKNOWNS;
    for (int k = 0; k < n; k++) {
        QP_REAL d = 0;
        if (condition < n) {
            d = QP_J(condition, k);
        } else {
            for (int i = 0; i < n; i++) {
                d += QP_J(i, k) * w->A[(condition - n) * n + i];
            }
        }
        w->d[k] = (QP_REAL)sign * d;
    }
    for (int i = 0; i < n; i++) {
        w->z[i] = 0;
    }
    for (int k = w->active; k < n; k++) {
        for (int i = 0; i < n; i++) {
            w->z[i] += QP_J(i, k) * w->d[k];
        }
    }
    for (int i = w->active - 1; i >= 0; i--) {
        QP_REAL sum = w->d[i];
        for (int k = i + 1; k < w->active; k++) {
            sum -= QP_R(i, k) * w->r[k];
        }
        w->r[i] = sum / QP_R(i, i);
    }
}

/* Turn columns i and k of J by the rotation with cosine c and sine s. */
static void qp_turn(QP_WORK *w, int i, int k, QP_REAL c, QP_REAL s)
{
    for (int j = 0; j < QP_UNKNOWNS; j++) {
        const QP_REAL a = QP_J(j, i), b = QP_J(j, k);
        QP_J(j, i) = c * a + s * b;
        QP_J(j, k) = c * b - s * a;
    }
}

/* Add a condition whose d is known; return 0 if its normal depends on those that are active. */
static int qp_add(QP_WORK *w, int condition, int sign, QP_REAL multiplier)
{
    QP_REAL size = 0, left = 0;
    if (w->active >= QP_UNKNOWNS) {
        return 0;
    }
    /* all of d2 into its first entry */
    for (int k = QP_UNKNOWNS - 1; k > w->active && k > 0; k--) {
        const QP_REAL a = w->d[k - 1], b = w->d[k], length = QP_SQRT(a * a + b * b);
        if (length > 0) {
            w->d[k - 1] = length;
            w->d[k] = 0;
            qp_turn(w, k - 1, k, a / length, b / length);
        }
    }
    for (int k = 0; k < w->active; k++) {
        size += w->d[k] * w->d[k];
        QP_R(k, w->active) = w->d[k];
    }
    left = qp_abs(w->d[w->active]);
    if (left <= QP_TOLERANCE * QP_SQRT(size + left * left)) {
        return 0;
    }
    QP_R(w->active, w->active) = w->d[w->active];
    w->set[w->active] = condition;
    w->sign[w->active] = sign;
    w->u[w->active] = multiplier;
    w->active++;
    return 1;
}

/* Remove the active condition at a place: its column of R, made triangular again. */
static void qp_remove(QP_WORK *w, int place)
{
    for (int k = place; k + 1 < w->active; k++) {
        w->set[k] = w->set[k + 1];
        w->sign[k] = w->sign[k + 1];
        w->u[k] = w->u[k + 1];
        for (int i = 0; i <= k + 1; i++) {
            QP_R(i, k) = QP_R(i, k + 1);
        }
    }
    w->active--;
    for (int k = place; k < w->active; k++) {
        const QP_REAL a = QP_R(k, k), b = QP_R(k + 1, k), length = QP_SQRT(a * a + b * b);
        if (length > 0) {
            const QP_REAL c = a / length, s = b / length;
            for (int j = k; j < w->active; j++) {
                const QP_REAL p = QP_R(k, j), q = QP_R(k + 1, j);
                QP_R(k, j) = c * p + s * q;
                QP_R(k + 1, j) = c * q - s * p;
            }
            qp_turn(w, k, k + 1, c, s);
        }
    }
}

static int qp_is_equation(const QP_WORK *w, int condition)
{
    return w->lower[condition] == w->upper[condition];
}

static int qp_is_active(const QP_WORK *w, int condition)
{
    for (int k = 0; k < w->active; k++) {
        if (w->set[k] == condition) {
            return 1;
        }
    }
    return 0;
}

/* Return by how much x exceeds a condition, with the side in *sign: +1 below, -1 above. */
static QP_REAL qp_excess(const QP_WORK *w, int condition, int *sign, QP_REAL *scale)
{
    QP_REAL value = 0, below, above;
    *scale = 1;
    if (condition < QP_UNKNOWNS) {
        value = w->x[condition];
        *scale += qp_abs(value);
    } else {
        for (int i = 0; i < QP_UNKNOWNS; i++) {
            const QP_REAL part = qp_normal(w, condition, i) * w->x[i];
            value += part;
            *scale += qp_abs(part);
        }
    }
    below = w->lower[condition] > -QP_UNBOUNDED ? w->lower[condition] - value : -QP_UNBOUNDED;
    above = w->upper[condition] < QP_UNBOUNDED ? value - w->upper[condition] : -QP_UNBOUNDED;
    *sign = below >= above ? 1 : -1;
    return below >= above ? below : above;
}

/* Return the condition that is exceeded most, equations first; -1 where none is. */
static int qp_worst(const QP_WORK *w, int *sign)
{
    int found = -1, has_equation = 0;
    QP_REAL most = 0;
    for (int k = 0; k < QP_CONDITIONS; k++) {
        int side;
        QP_REAL scale;
        const QP_REAL excess = qp_excess(w, k, &side, &scale);
        const int equation = qp_is_equation(w, k);
        if (excess <= QP_TOLERANCE * scale || has_equation > equation || qp_is_active(w, k)) {
            continue;
        }
        if (equation > has_equation || excess / scale > most) {
            found = k;
            most = excess / scale;
            has_equation = equation;
            *sign = side;
        }
    }
    return found;
}

/* Return 0 where x is the solution, 1 where there is none, 2 where H is not positive definite, 3
   where rounding lets the method cycle. */
static int qp_solve(QP_WORK *w)
{
    int changes = 0;
    w->active = 0;
    for (int k = 0; k < QP_CONDITIONS; k++) {
        if (w->lower[k] > w->upper[k]) {
            return 1;
        }
    }
    if (!qp_factor(w)) {
        return 2;
    }
    qp_free_minimum(w);
    for (;;) {
        int sign = 1, entered = 0;
        QP_REAL multiplier = 0;
        const int entering = qp_worst(w, &sign);
        if (entering < 0) {
            return 0;
        }
        while (!entered) {
            int leaving = -1, side;
            QP_REAL shortest = 0, slope = 0, size = 0, scale, step;
            if (changes++ > QP_MAX_CHANGES) {
                return 3;
            }
            qp_directions(w, entering, sign);
            for (int k = 0; k < QP_UNKNOWNS; k++) {
                size += w->d[k] * w->d[k];
                slope += k >= w->active ? w->d[k] * w->d[k] : 0;
            }
            /* the first multiplier to vanish; those of equations may have either sign */
            for (int k = 0; k < w->active; k++) {
                if (w->r[k] > 0 && !qp_is_equation(w, w->set[k])) {
                    const QP_REAL t = w->u[k] / w->r[k];
                    if (leaving < 0 || t < shortest) {
                        shortest = t;
                        leaving = k;
                    }
                }
            }
            if (slope <= QP_TOLERANCE * QP_TOLERANCE * size) {
                /* x cannot move along this normal: something must leave first */
                if (leaving < 0) {
                    return 1;
                }
                step = shortest;
            } else {
                step = qp_excess(w, entering, &side, &scale) / slope;
                entered = leaving < 0 || step <= shortest;
                step = entered ? step : shortest;
                for (int i = 0; i < QP_UNKNOWNS; i++) {
                    w->x[i] += step * w->z[i];
                }
            }
            for (int k = 0; k < w->active; k++) {
                w->u[k] -= step * w->r[k];
            }
            multiplier += step;
            if (!entered) {
                qp_remove(w, leaving);
            } else if (!qp_add(w, entering, sign, multiplier)) {
                return 3;
            }
        }
    }
}
