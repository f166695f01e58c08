// A growing text with its newest part marked, which tells which character was clicked. While the reader moves only the
// last units are laid out, at rest many more: laying text out is what costs most in a step.
import { runs, tailStart } from "./model.js";
import { make } from "./dom.js";

export const SHOWN_MOVING = 1200;
export const SHOWN_AT_REST = 20000;
const BEFORE_LIT = 200;
const MOST_LINES = 400;

/** Offset of the character under the point (x, y) inside `node`'s text, or -1. Halves the range until one is left. */
function characterAt(node, x, y) {
  const range = document.createRange();
  const covers = (start, end) => {
    range.setStart(node, start);
    range.setEnd(node, end);
    return [...range.getClientRects()].some((r) => x >= r.left && x <= r.right && y >= r.top && y <= r.bottom);
  };
  let start = 0;
  let end = node.length;
  if (!covers(start, end)) return -1;
  while (end - start > 1) {
    const middle = (start + end) >> 1;
    if (covers(start, middle)) end = middle;
    else start = middle;
  }
  return start;
}

export class TextPane {
  /** `onPick(offset)` is called with the offset of a clicked character in the whole text. */
  constructor(host, onPick) {
    this.inner = make("span", "text");
    host.replaceChildren(this.inner);
    this.host = host;
    this.drawn = "";
    host.addEventListener("click", (event) => {
      const end = event.target.closest(".line-end");
      const offset = end ? Number(end.dataset.start) : this.offsetAt(event.clientX, event.clientY);
      if (offset >= 0) onPick(offset);
    });
  }

  offsetAt(x, y) {
    for (const piece of this.inner.querySelectorAll("[data-start]")) {
      const found = characterAt(piece.firstChild, x, y);
      if (found >= 0) return Number(piece.dataset.start) + found;
    }
    return -1;
  }

  /**
   * Show `text`, new from `fresh` on, with `lit` ranges ([start, end) pairs) marked. `version` names the whole text;
   * `most` is how many units to show. The stylesheet keeps the end in view.
   */
  show(version, text, fresh, lit, empty, most) {
    const from = tailStart(text, Math.max(most, lit.length ? text.length - lit[0][0] + BEFORE_LIT : 0));
    const drawn = `${version}|${from}|${text.length}|${fresh}|${lit.join(";")}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const ranges = [{ start: fresh, end: text.length, name: "fresh" }];
    for (const [start, end] of lit) ranges.push({ start, end: Math.min(end, text.length), name: "lit" });
    const pieces = text ? runs(from, text.length, ranges).map((run) => this.piece(text, run)) : [make("span", "none", empty)];
    if (from > 0) pieces.unshift(make("span", "none", `… ${from} earlier characters\n`));
    this.inner.replaceChildren(...pieces);
    if (lit.length) this.inner.querySelector(".lit")?.scrollIntoView({ block: "nearest" });
    else if (this.wasLit) this.host.scrollTop = 0;
    this.wasLit = lit.length > 0;
  }

  piece(text, run) {
    const piece = make(run.names.includes("fresh") ? "mark" : "span", run.names.join(" "));
    let start = run.start;
    for (const line of text.slice(run.start, run.end).split(/(\n)/, 2 * MOST_LINES)) {
      if (line) piece.append(make("span", line === "\n" ? "line-end" : "", line, { "data-start": start }));
      start += line.length;
    }
    if (start < run.end) piece.append(make("span", "", text.slice(start, run.end), { "data-start": start }));
    return piece;
  }
}
