// A list of lines that may be very long: only the lines in view are in the page, each one row high, long ones cut short.
// It is laid out from its end, so that the newest line stays in view without a scroll position being set.
import { visible } from "./model.js";
import { make } from "./dom.js";
import { foldHead } from "./served.js";

const ROW = 20;
const IN_VIEW = 16;
const SPARE = 4;
const POOL = IN_VIEW + 2 * SPARE;
const SHOWN_OF_LINE = 400;
const MOVES = { ArrowUp: -1, ArrowDown: 1, PageUp: -IN_VIEW, PageDown: IN_VIEW };

/** First of the lines to have in the page when the list is scrolled `up` pixels from its end. */
export function firstDrawn(count, up) {
  const afterLast = count - Math.floor(up / ROW);
  return Math.max(0, Math.min(afterLast + SPARE, count) - POOL);
}

/** How far up a list scrolled to `up` has to be for `line` to be in view. */
export function upFor(line, count, up) {
  return Math.max(0, (count - line - IN_VIEW) * ROW, Math.min(up, (count - 1 - line) * ROW));
}

export class LineList {
  /** `place(line)` says where a line belongs; `onPick(line)` is called for a click or an arrow key. */
  constructor(host, place, onPick) {
    Object.assign(this, { host, place, onPick, up: 0, count: 0, chosen: -1, now: [0, 0] });
    this.inner = make("div", "all-lines");
    this.rows = Array.from({ length: POOL }, (_, k) => emptyRow(k));
    this.inner.append(...this.rows);
    host.replaceChildren(this.inner);
    host.style.height = `${ROW * IN_VIEW}px`;
    host.addEventListener("scroll", () => this.scrolled());
    host.addEventListener("click", (event) => this.clicked(event));
    host.addEventListener("keydown", (event) => this.pressed(event));
  }

  load(lines) {
    this.lines = lines;
    for (const row of this.rows) row.dataset.drawn = "";
  }

  /** Show the first `count` lines with the half-open range `now` marked, from the end. */
  show(count, now, chosen) {
    Object.assign(this, { count, now, chosen });
    this.inner.style.height = `${Math.max(count, IN_VIEW) * ROW}px`;
    if (this.up) this.scrollTo(0);
    this.draw();
  }

  scrollTo(up) {
    this.up = up;
    this.host.scrollTop = -up;
  }

  scrolled() {
    this.up = Math.max(0, -this.host.scrollTop);
    this.draw();
  }

  clicked(event) {
    const row = event.target.closest(".line");
    if (row) this.choose(Number(row.dataset.line));
  }

  pressed(event) {
    const move = MOVES[event.key];
    if (move === undefined || !this.count) return;
    event.preventDefault();
    const from = this.chosen < 0 ? this.count : this.chosen;
    const line = Math.max(0, Math.min(this.count - 1, from + move));
    this.scrollTo(upFor(line, this.count, this.up));
    this.choose(line);
  }

  choose(line) {
    this.chosen = line;
    this.draw();
    this.onPick(line);
  }

  draw() {
    const first = firstDrawn(this.count, this.up);
    for (let line = first; line < first + POOL; line++) this.fill(this.rows[line % POOL], line);
    const chosen = this.rows.find((row) => !row.hidden && Number(row.dataset.line) === this.chosen);
    this.host.setAttribute("aria-activedescendant", chosen?.id ?? "");
  }

  fill(row, line) {
    const isNow = line >= this.now[0] && line < this.now[1];
    const isChosen = line === this.chosen;
    row.hidden = line >= this.count;
    const drawn = `${line}|${isNow}|${isChosen}`;
    if (row.hidden || row.dataset.drawn === drawn) return;
    Object.assign(row.dataset, { drawn, line });
    row.className = `line${isNow ? " now" : ""}${isChosen ? " chosen" : ""}`;
    row.setAttribute("aria-selected", isChosen);
    row.style.top = `${line * ROW}px`;
    const text = foldHead(this.lines[line]);
    row.firstChild.textContent = `${isNow ? "▸ " : ""}${this.place(line)}`;
    row.lastChild.textContent = visible(text.slice(0, SHOWN_OF_LINE)) + (text.length > SHOWN_OF_LINE ? "…" : "");
  }
}

function emptyRow(k) {
  const row = make("div", "line", undefined, { role: "option", id: `line-${k}` });
  row.append(make("span", "place"), make("code"));
  return row;
}
