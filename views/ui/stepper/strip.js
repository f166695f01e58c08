// The whole stream as lanes (canvas) and the tokens around the current delta as chips. Both cost the same at any length:
// the lanes are painted once, the chips are a window of at most WINDOW tokens.
import { KINDS, above, deltaOf, tokensOf, visibleToken } from "./model.js";
import { make } from "./dom.js";
import { freedomLook, freedomName } from "./served.js";

const WINDOW = 240;
const NEAR_END = 50;
const LINE = 25;
const BELOW_LINE = 3;
const LINES_SHOWN = 3;
const LANES = [0, 1, 2, 3, 3];

/** First token of a window of `size` tokens with `token` in its middle. */
export function windowStart(token, count, size) {
  return Math.max(0, Math.min(token - (size >> 1), count - size));
}

/** Kinds of tokens in each of `columns` equal parts of the deltas, as bit sets: what the lanes show. */
export function laneBits(trace, columns) {
  const bits = new Uint8Array(columns);
  const { kind } = trace.tokens;
  for (let i = 0; i < trace.n; i++) {
    const [first, last] = tokensOf(trace, i);
    let here = 0;
    for (let token = first; token < last; token++) here |= 1 << kind[token];
    const left = Math.floor((i * columns) / trace.n);
    const right = Math.max(left + 1, Math.floor(((i + 1) * columns) / trace.n));
    for (let column = left; column < right; column++) bits[column] |= here;
  }
  return bits;
}

/** The whole stream, one lane a kind; a click or drag seeks. */
export class Timeline {
  constructor(canvas, cursor, seek) {
    this.canvas = canvas;
    this.cursor = cursor;
    const toDelta = (event) => {
      const box = canvas.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      seek(Math.floor(Math.max(0, Math.min(0.999999, share)) * this.trace.n));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      toDelta(event);
    });
    // A canvas does not follow the theme by itself; a change of the inherited colour ends a transition.
    canvas.parentElement.addEventListener("transitionend", () => this.trace && this.paint());
    canvas.addEventListener("pointermove", (event) => event.buttons === 1 && toDelta(event));
  }

  load(trace) {
    this.trace = trace;
    this.paint();
  }

  paint() {
    const { canvas, trace } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d");
    const colours = this.colours();
    const lane = height / 4;
    const bits = laneBits(trace, width);
    KINDS.forEach((_, kind) => {
      context.fillStyle = colours[kind];
      for (let column = 0; column < width; column++) {
        if (bits[column] & (1 << kind)) context.fillRect(column, LANES[kind] * lane + ratio, 1, lane - 2 * ratio);
      }
    });
  }

  /** Colours come from the stylesheet, so that the canvas follows the theme. */
  colours() {
    const probe = make("span", "probe");
    this.canvas.parentElement.append(probe);
    const colours = KINDS.map((kind) => {
      probe.style.color = `var(--${kind})`;
      return getComputedStyle(probe).color;
    });
    probe.remove();
    return colours;
  }

  show(position) {
    const { n } = this.trace;
    const width = this.canvas.width / (window.devicePixelRatio || 1);
    this.cursor.style.width = `${Math.max(2, width / n)}px`;
    this.cursor.style.transform = `translateX(${(width * position) / n}px)`;
  }
}

/** Chips of the tokens around the current delta. */
export class TokenStrip {
  constructor(host, onPick) {
    this.host = host;
    host.addEventListener("click", (event) => {
      const chip = event.target.closest("[data-token]");
      if (chip) onPick(Number(chip.dataset.token));
    });
  }

  load(trace) {
    this.trace = trace;
    this.from = -1;
    this.to = -1;
  }

  /** Build chips for the window around `token`, unless it is inside the present one. */
  page(token) {
    const count = this.trace.tokens.text.length;
    const safe = (this.from === 0 || token >= this.from + NEAR_END) && (this.to === count || token < this.to - NEAR_END);
    if (this.from >= 0 && safe && token >= this.from && token < Math.max(this.to, 1)) return;
    this.from = windowStart(token, count, WINDOW);
    this.line = -1;
    this.to = Math.min(count, this.from + WINDOW);
    this.chips = [];
    for (let k = this.from; k < this.to; k++) this.chips.push(this.chip(k));
    this.looks = new Array(this.chips.length).fill("");
    this.host.replaceChildren(...this.chips);
    this.measure();
  }

  chip(token) {
    const { tokens } = this.trace;
    const kind = KINDS[tokens.kind[token]];
    const id = tokens.id ? `id ${tokens.id[token]}` : "no id (text-only stream)";
    const about = `token ${token}, ${id}, delta ${deltaOf(this.trace, token) + 1}, ${kind}${freedomName(this.trace, token)}`;
    return make("span", this.kindOf(token), visibleToken(tokens.text[token]) || "∅", { "data-token": token, title: about });
  }

  /** Note on which line each chip stands: asking at every step would lay the page out every time. */
  measure() {
    this.lines = this.chips.map((chip) => Math.round(chip.offsetTop / LINE));
  }

  /** Mark past, current, held and lit tokens of delta `position`. */
  show(position, lit) {
    const { trace } = this;
    const [first, last] = tokensOf(trace, position);
    this.page(Math.min(first, trace.tokens.text.length - 1));
    const heldFrom = trace.steps.shown[position] - trace.steps.buffer[position].length;
    const firstHeld = Math.min(last, above(trace.tokens.end, heldFrom));
    this.chips.forEach((chip, k) => {
      const token = this.from + k;
      const look = this.look(token, first, last, firstHeld, lit);
      if (look !== this.looks[k]) {
        chip.className = look;
        this.looks[k] = look;
      }
    });
    this.scrollTo(lit && lit.follow ? lit.tokens[0] : first);
  }

  kindOf(token) {
    return `tok k-${KINDS[this.trace.tokens.kind[token]]}${freedomLook(this.trace, token)}`;
  }

  look(token, first, last, firstHeld, lit) {
    let look = this.kindOf(token);
    if (token >= last) look += " future";
    else if (token >= first) look += " now";
    if (token >= firstHeld && token < last) look += " held";
    if (lit && token >= lit.tokens[0] && token < lit.tokens[1]) look += " lit";
    return look;
  }

  scrollTo(token) {
    const line = this.lines[token - this.from];
    if (line === undefined || line === this.line) return;
    this.line = line;
    const top = Math.min(line - 1, this.lines.at(-1) + 1 - LINES_SHOWN);
    this.host.scrollTop = top > 0 ? top * LINE + BELOW_LINE : 0;
  }
}
