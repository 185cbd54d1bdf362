"""The style of a report as HTML: light and dark, on paper everything open."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --paper: #ffffff; --soft: #5a6675;
  --line: #d5dbe3; --tint: #f4f6f9; --link: #1a5fa8; --good: #1a7a4a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --paper: #14181f; --soft: #a3aebd;
  --line: #38414e; --tint: #1d232c; --link: #7db6f0; --good: #5fce97; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.55 system-ui, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.35rem; margin: 2.6rem 0 .6rem; padding-top: .6rem;
  border-top: 1px solid var(--line); }
p, li { max-width: 48rem; overflow-wrap: anywhere; }
a { color: var(--link); }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; padding: 0;
  margin: .5rem 0 0; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
@media screen and (min-width: 82rem) { body { padding-left: 17rem; max-width: 78rem; }
  nav { position: fixed; top: 2.4rem; left: max(1.25rem, calc(50vw - 38rem)); width: 13rem; }
  nav ul { flex-direction: column; gap: .55rem; } }
.formulas { overflow-x: auto; padding: .4rem 0; }
.formulas math { display: block; margin: .55rem 0 .55rem 1.2rem; text-align: left;
  width: max-content; }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: .4rem; }
details > summary { cursor: pointer; padding: .45rem .8rem; background: var(--tint);
  border-radius: .4rem; }
details > div { padding: .1rem .9rem .6rem; }
.copy { display: flex; gap: .4rem; align-items: center; margin: 0 0 .8rem 1.2rem; font-size: .8rem;
  color: var(--soft); }
.copy button { min-width: 0; padding: .05rem .5rem; font-size: .8rem; border-color: var(--line); }
.kinds { display: flex; flex-wrap: wrap; gap: .1rem 1rem; list-style: none; padding: 0;
  margin: .4rem 0 0 1.2rem; font-size: .82rem; color: var(--soft); }
pre { overflow: auto; max-height: 34rem; padding: .8rem; background: var(--tint); margin: .5rem 0;
  border: 1px solid var(--line); border-radius: .4rem; font: .82rem/1.45 ui-monospace, monospace; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .93rem; min-width: min(34rem, 100%); }
caption { text-align: left; color: var(--soft); padding: .2rem 0; }
th, td { text-align: left; padding: .28rem .9rem .28rem 0; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; }
th { font-weight: 600; color: var(--soft); }
figure { margin: 1.2rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: .4rem; }
figure svg { display: block; margin: 0 auto; max-width: 100%; height: auto; color: var(--ink); }
figcaption { color: var(--soft); font-size: .9rem; margin-top: .7rem; text-align: center; }
button { font: inherit; padding: .25rem .9rem; border: 1px solid var(--soft); border-radius: .4rem;
  background: var(--tint); color: var(--ink); cursor: pointer; min-width: 5rem; }
li small { color: var(--soft); font-size: .88rem; }
li.verdict { list-style: none; margin-left: -1.6rem; padding-left: 1.6rem; text-indent: -1.6rem; }
li.verdict > span { display: inline-block; width: 1.6rem; text-indent: 0; color: var(--bad); }
li.verdict.proved > span { color: var(--good); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } nav, .copy {
  display: none; } pre { max-height: none; white-space: pre-wrap; } details { border: 0; }
  summary { list-style: none; font-weight: 600; } figure svg { max-height: 9cm; width: auto; }
  figure, tr, math { break-inside: avoid; } h2, summary, caption { break-after: avoid; } }
"""

SCRIPT = """
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // pages that are files have no clipboard in some browsers
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
for (const button of document.querySelectorAll("[data-copy]")) {
  const name = button.textContent;
  button.setAttribute("aria-label", "Copy as " + name);
  button.addEventListener("click", async () => {
    button.textContent = (await copied(button.dataset.copy)) ? "copied" : "not copied";
    setTimeout(() => { button.textContent = name; }, 1200);
  });
}
const folded = [...document.querySelectorAll("details")];
let opened = [];
addEventListener("beforeprint", () => {
  opened = folded.filter((e) => !e.open);
  for (const e of opened) e.open = true;
});
addEventListener("afterprint", () => { for (const e of opened) e.open = false; });
"""
