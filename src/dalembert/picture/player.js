// Plays recorded motions: a button, a slider for the time, and a drawing.
"use strict";

function player(figure) {
  const data = JSON.parse(figure.querySelector("script").textContent);
  const canvas = figure.querySelector("canvas"), button = figure.querySelector("button");
  const slider = figure.querySelector("input"), shown = figure.querySelector("output");
  const drawing = new Drawing(canvas, data), last = data.t.length - 1;
  const start = data.t[0], end = data.t[last], tip = data.tip;
  let now = start, running = false, before = 0;
  function show(time) {
    let k = 0;
    while (k < last - 1 && data.t[k + 1] <= time) k++;
    const a = data.frames[k], b = data.frames[Math.min(k + 1, last)];
    const gap = data.t[Math.min(k + 1, last)] - data.t[k];
    const part = gap ? Math.min((time - data.t[k]) / gap, 1) : 0;
    const frame = a.map((x, i) => x + (b[i] - x) * part);
    const trail = tip < 0 ? null : data.frames.slice(Math.max(0, k - 60), k + 1).flatMap((f) =>
      f.slice(3 * tip, 3 * tip + 3)).concat(frame.slice(3 * tip, 3 * tip + 3));
    drawing.show(frame, trail);
    slider.value = time;
    shown.textContent = time.toFixed(2) + " s";
  }
  function step(stamp) {
    if (!running) return;
    now += ((stamp - before) / 1000) * data.speed;
    before = stamp;
    if (now > end) now = start;
    show(now);
    requestAnimationFrame(step);
  }
  function run(on) {
    running = on && last > 0;
    button.textContent = running ? "Pause" : "Play";
    if (running) requestAnimationFrame((stamp) => { before = stamp; step(stamp); });
  }
  button.addEventListener("click", () => run(!running));
  slider.addEventListener("input", () => { run(false); now = Number(slider.value); show(now); });
  show(now);
  run(!matchMedia("(prefers-reduced-motion: reduce)").matches);
}
for (const figure of document.querySelectorAll("figure.motion")) player(figure);
