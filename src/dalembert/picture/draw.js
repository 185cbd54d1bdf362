// Draws pictures that Python describes: parts between points that move. One drawing for reports,
// animations and live pages; picture/svg.py draws the same on paper.
"use strict";

const LOOK = {
  light: { rod: "#4c5560", fill: "#6e778138", blue: "#1f6fd6", green: "#1f8a43", mass: "#c4501f",
    pin: "#ffffff", trail: "#1f6fd680", text: "#1a5fa8" },
  dark: { rod: "#aab3be", fill: "#aab3be33", blue: "#6cb2ff", green: "#4cc46f", mass: "#ff8f5e",
    pin: "#14181f", trail: "#6cb2ff80", text: "#8cc2ff" },
};
const WIDTHS = { rod: 4.5, thin: 1.3, rope: 1.3, dashed: 1.2, edge: 1.8, trail: 1.2 };

class Drawing {
  // data: parts [kind, ends, more], middle (3), half (across, up), view [right, up], planar
  constructor(canvas, data) {
    this.canvas = canvas;
    this.data = data;
    this.ink = canvas.getContext("2d");
    this.right = data.view[0];
    this.up = data.view[1];
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.points = null;
    this.trail = null;
    if (!data.planar) this.turnable();
    new ResizeObserver(() => this.fit()).observe(canvas);
    this.dark.addEventListener("change", () => this.draw());
    this.fit();
  }

  fit() {
    const ratio = devicePixelRatio || 1, width = this.canvas.clientWidth || 600;
    const height = this.canvas.clientHeight || 400;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.width = width;
    this.height = height;
    const [across, up] = this.data.half;
    this.scale = Math.min((width - 56) / (2 * across), (height - 56) / (2 * up));
    this.ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw();
  }

  turnable() {
    const [right, up] = this.data.view;
    let azimuth = Math.atan2(-right[0], right[1]), elevation = Math.acos(Math.min(1, up[2]));
    const turn = (dx, dy) => {
      azimuth -= dx;
      elevation = Math.max(-1.5, Math.min(1.5, elevation + dy));
      const [s, c] = [Math.sin(azimuth), Math.cos(azimuth)];
      this.right = [-s, c, 0];
      this.up = [-c * Math.sin(elevation), -s * Math.sin(elevation), Math.cos(elevation)];
      this.draw();
    };
    this.canvas.style.touchAction = "none";
    this.canvas.style.cursor = "grab";
    this.canvas.addEventListener("pointermove", (e) => {
      if (e.buttons) turn(e.movementX / 120, e.movementY / 120);
    });
    this.canvas.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1],
        ArrowDown: [0, 0.1] }[e.key];
      if (step) { e.preventDefault(); turn(...step); }
    });
  }

  place(x, y, z) {
    const m = this.data.middle, d = [x - m[0], y - m[1], z - m[2]];
    const dot = (a) => a[0] * d[0] + a[1] * d[1] + a[2] * d[2];
    return [this.width / 2 + this.scale * dot(this.right),
      this.height / 2 - this.scale * dot(this.up)];
  }

  // points: x, y, z of every point in a row; trail: the same of one point along its path
  show(points, trail) {
    this.points = points;
    this.trail = trail;
    this.draw();
  }

  draw() {
    if (!this.points) return;
    this.look = LOOK[this.dark.matches ? "dark" : "light"];
    const p = this.points;
    this.at = Array.from({ length: p.length / 3 }, (_, i) =>
      this.place(p[3 * i], p[3 * i + 1], p[3 * i + 2]));
    this.ink.clearRect(0, 0, this.width, this.height);
    this.ink.lineJoin = this.ink.lineCap = "round";
    if (this.trail) {
      const path = [];
      for (let i = 0; i < this.trail.length; i += 3)
        path.push(this.place(this.trail[i], this.trail[i + 1], this.trail[i + 2]));
      this.line(path, this.look.trail, WIDTHS.trail);
    }
    for (const [kind, ends, more] of this.data.parts) this[kind](ends.map((i) => this.at[i]), more);
  }

  line(path, color, width, dash) {
    const ink = this.ink;
    ink.strokeStyle = color;
    ink.lineWidth = width;
    ink.setLineDash(dash || []);
    ink.beginPath();
    path.forEach(([x, y], k) => (k ? ink.lineTo(x, y) : ink.moveTo(x, y)));
    ink.stroke();
    ink.setLineDash([]);
  }

  shape(path) {
    const ink = this.ink;
    ink.beginPath();
    path.forEach(([x, y], k) => (k ? ink.lineTo(x, y) : ink.moveTo(x, y)));
    ink.closePath();
    ink.fillStyle = this.look.fill;
    ink.fill();
    ink.strokeStyle = this.look.rod;
    ink.lineWidth = 1.6;
    ink.stroke();
  }

  dot([x, y], radius, color) {
    const ink = this.ink;
    ink.beginPath();
    ink.arc(x, y, radius, 0, 7);
    ink.fillStyle = color;
    ink.fill();
    ink.strokeStyle = this.look.rod;
    ink.lineWidth = 1.6;
    ink.stroke();
  }

  hatched([a, b]) {
    this.line([a, b], this.look.rod, 1.6);
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, step = 11;
    const [ux, uy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
    for (let s = 0; s <= length; s += step) {
      const [x, y] = [a[0] + s * ux, a[1] + s * uy], k = 0.72 * step;
      this.line([[x, y], [x + k * (-uy - ux), y + k * (ux - uy)]], this.look.rod, 0.8);
    }
  }

  Line(at, { style }) {
    const dash = style === "dashed" ? [4, 3] : null;
    this.line(at, style === "trail" ? this.look.blue : this.look.rod, WIDTHS[style], dash);
  }

  Spring([a, b]) {
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(dx, dy) || 1;
    const at = (s, w) => [a[0] + s * dx - (w * dy) / length, a[1] + s * dy + (w * dx) / length];
    const path = [a, at(0.14, 0)];
    for (let k = 0; k < 16; k++) path.push(at(0.14 + (0.72 * (k + 0.5)) / 16, k % 2 ? -7 : 7));
    this.line([...path, at(0.86, 0), b], this.look.green, 1.7);
  }

  Disc([c, r, s], { spoke }) {
    const path = Array.from({ length: 48 }, (_, k) => {
      const [x, y] = [Math.cos((k * Math.PI) / 24), Math.sin((k * Math.PI) / 24)];
      return [0, 1].map((i) => c[i] + x * (r[i] - c[i]) + y * (s[i] - c[i]));
    });
    this.shape(path);
    if (spoke) this.line([c, r], this.look.rod, 1.6);
  }

  Area(at) { this.shape(at); }
  Mass([p]) { this.dot(p, 6.5, this.look.mass); }
  Pin([p]) { this.dot(p, 4.5, this.look.pin); }
  Ground(at) { this.hatched(at); }

  Support([[x, y]]) {
    this.line([[x - 13, y + 13], [x, y], [x + 13, y + 13]], this.look.rod, 1.6);
    this.hatched([[x - 19, y + 13], [x + 19, y + 13]]);
    this.dot([x, y], 4.5, this.look.pin);
  }

  Rail([a, b]) {
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]], k = Math.abs(dx) >= Math.abs(dy) ? 0 : 1;
    const step = [dx, dy][k] || 1, far = k ? this.height : this.width;
    const ends = [0, far].map((e) => {
      const s = (e - a[k]) / step;
      return [a[0] + s * dx, a[1] + s * dy];
    });
    this.hatched(ends[0][0] > ends[1][0] ? ends.reverse() : ends);
  }

  Arrow(at) {
    this.line(at, this.look.blue, 1.6);
    const tip = at[at.length - 1], before = at.find((p) =>
      Math.hypot(p[0] - tip[0], p[1] - tip[1]) <= 12) || at[0];
    const from = before === tip ? at[at.length - 2] : before;
    const angle = Math.atan2(from[1] - tip[1], from[0] - tip[0]);
    const barb = (a) => [tip[0] + 10 * Math.cos(angle + a), tip[1] + 10 * Math.sin(angle + a)];
    this.line([barb(0.42), tip, barb(-0.42)], this.look.blue, 1.6);
  }

  Label(at, { text, shift, beyond }) {
    const ink = this.ink, em = 15;
    let [x, y] = at[at.length - 1];
    if (at.length === 2) {
      const [dx, dy] = [at[1][0] - at[0][0], at[1][1] - at[0][1]], length = Math.hypot(dx, dy) || 1;
      if (beyond) [x, y] = [x + (beyond * em * dx) / length, y + (beyond * em * dy) / length];
      else [x, y] = [(at[0][0] + at[1][0]) / 2 + (em * dy) / length,
        (at[0][1] + at[1][1]) / 2 - (em * dx) / length];
    } else [x, y] = [x + shift[0] * em, y - shift[1] * em];
    ink.font = "italic 16px 'dalembert math', 'STIX Two Math', 'Cambria Math', serif";
    ink.textAlign = "center";
    ink.textBaseline = "middle";
    ink.fillStyle = this.look.text;
    ink.fillText(text, x, y);
  }
}
