// what Sphinx's pages lack for readers with a keyboard or a screen reader
"use strict";

// the captions of the contents are headings of the second level
for (const caption of document.querySelectorAll("p.caption[role=heading]")) {
  caption.ariaLevel = "2";
}

// the lines of a long signature are a list, not definitions
for (const lines of document.querySelectorAll("dt.sig dl")) {
  lines.role = "list";
  for (const line of lines.children) line.role = "listitem";
}

// a box that scrolls is reached with the tabulator key
function reachBoxes() {
  for (const box of document.querySelectorAll("pre, .table-wrapper, div.math")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
reachBoxes();
addEventListener("resize", reachBoxes);
