"""A motion as one page of HTML that draws itself; no other file, no network."""

from __future__ import annotations

import json
from html import escape
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dalembert.analysis.pictures.scene import Scene

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px system-ui, sans-serif; margin: 12px; max-width: 600px; }
canvas { width: 100%; aspect-ratio: 1; border: 1px solid #8886; touch-action: none; }
.bar { display: flex; gap: 10px; align-items: center; margin-top: 8px; }
input { flex: 1; }
output { min-width: 6em; text-align: right; font-variant-numeric: tabular-nums; }
</style>
</head>
<body>
<canvas id="view" width="1200" height="1200" role="img" aria-label="$title in motion"></canvas>
<div class="bar">
<button id="play" type="button">Play</button>
<input id="time" type="range" min="0" max="0" value="0" aria-label="time">
<output id="clock"></output>
</div>
<script>
"use strict";
const data = $data;
const view = document.getElementById("view"), ink = view.getContext("2d");
const bar = document.getElementById("time"), button = document.getElementById("play");
const clock = document.getElementById("clock");
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const [rod, rope, spring, point, trail] = dark
  ? ["#ddd", "#bbb", "#7bc47f", "#ff7b6b", "#7fb3e6"]
  : ["#444", "#666", "#2e7d32", "#c0392b", "#4878a8"];
let frame = 0, playing = false, turn = -0.9, tilt = 0.35, before = 0;
bar.max = data.frames.length - 1;

function place(p) {
  let [x, y, z] = p.map((v, k) => (v - data.middle[k]) / data.half);
  if (!data.planar) {
    const c = Math.cos(turn), s = Math.sin(turn);
    [x, y] = [c * x - s * y, s * x + c * y];
    [x, y] = [x, Math.sin(tilt) * y + Math.cos(tilt) * z];
    x *= 0.75; y *= 0.75;
  }
  return [600 + 560 * x, 600 - 560 * y];
}
function line(points, color, width) {
  ink.strokeStyle = color; ink.lineWidth = width; ink.lineJoin = "round"; ink.lineCap = "round";
  ink.beginPath();
  points.forEach((p, k) => k ? ink.lineTo(...p) : ink.moveTo(...p));
  ink.stroke();
}
function coil(a, b) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(dx, dy) || 1;
  const path = [a];
  for (let k = 0; k <= 18; k++) {
    const s = 0.12 + 0.76 * k / 18, w = k % 18 ? (k % 2 ? 22 : -22) : 0;
    path.push([a[0] + s * dx - w * dy / length, a[1] + s * dy + w * dx / length]);
  }
  return [...path, b];
}
function draw() {
  ink.clearRect(0, 0, 1200, 1200);
  const at = data.frames[frame].map(place);
  data.names.forEach((name, i) => {
    if (!name) return;
    ink.globalAlpha = 0.5;
    const past = data.frames.slice(Math.max(0, frame - 40), frame + 1);
    line(past.map(f => place(f[i])), trail, 3);
    ink.globalAlpha = 1;
  });
  for (const [i, j] of data.rods) line([at[i], at[j]], rod, 7);
  for (const [i, j] of data.ropes) line([at[i], at[j]], rope, 3);
  for (const [i, j] of data.springs) line(coil(at[i], at[j]), spring, 4);
  ink.fillStyle = point;
  data.names.forEach((name, i) => {
    if (!name) return;
    ink.beginPath(); ink.arc(at[i][0], at[i][1], 13, 0, 7); ink.fill();
  });
  bar.value = frame;
  clock.textContent = data.t[frame].toFixed(2) + " s";
}
function step(now) {
  if (!playing) return;
  const passed = (now - before) / 1000 * data.speed;
  const span = (data.t[data.t.length - 1] - data.t[0]) / (data.t.length - 1) || 1;
  const ahead = Math.floor(passed / Math.abs(span));
  if (ahead > 0) {
    before += 1000 * ahead * Math.abs(span) / data.speed;
    frame = (frame + ahead) % data.frames.length;
    draw();
  }
  requestAnimationFrame(step);
}
function play(on) {
  playing = on;
  button.textContent = on ? "Pause" : "Play";
  before = performance.now();
  if (on) requestAnimationFrame(step);
}
button.onclick = () => play(!playing);
bar.oninput = () => { play(false); frame = +bar.value; draw(); };
view.onpointermove = e => {
  if (data.planar || !e.buttons) return;
  turn += e.movementX / 120; tilt += e.movementY / 120;
  draw();
};
draw();
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play(true);
</script>
</body>
</html>
""")


def page(scene: Scene, title: str, speed: float) -> str:
    """Return the page; coordinates have five digits of the size of the picture."""
    middle, half = scene.box
    digits = max(0, 5 - len(str(int(half)))) if half >= 1 else 6
    data = {
        "t": [round(float(t), 6) for t in scene.t],
        "names": list(scene.names),
        "frames": [[[round(x, digits) for x in p] for p in f] for f in scene.positions.tolist()],
        "rods": scene.rods,
        "springs": scene.springs,
        "ropes": scene.ropes,
        "middle": middle.tolist(),
        "half": half,
        "planar": scene.is_planar,
        "speed": speed,
    }
    # no name can end the script
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    return _PAGE.substitute(title=escape(title), data=text)
