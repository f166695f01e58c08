// The stepper: holds one trace, a position and a selection; draws them at most once a frame.
import {
  before, deltaOf, deltaShowing, fieldAt, findAll, jump, prepare, samePlace, unpack,
} from "./model.js";
import { make, sentence } from "./dom.js";
import { StateGraph } from "./graph.js";
import { trailOfCharacter, trailOfRange, trailOfToken } from "./trail.js";
import { actionOf } from "./keys.js";
import { Timeline, TokenStrip } from "./strip.js";
import { SHOWN_AT_REST, SHOWN_MOVING, TextPane } from "./pane.js";
import { CallTable } from "./calls.js";
import { drawEvents, drawFacts, drawMessages, drawRows } from "./cards.js";
import { drawLaws, drawVerdict } from "./summary.js";
import { ConstraintLane } from "./constraint.js";
import { Panels } from "./panels.js";

const REPORT_AFTER = 400;
const REST_AFTER = 200;
const HINT = "Click a character of a field to see where it came from, or a token to see where it went.";
const FACT_CARDS = ["input", "scanner", "lexer", "codec", "gate"];
const FIELDS = ["reasoning", "content"];
const steppers = new WeakMap();
let keysGoTo = null;

class Stepper {
  constructor(root, below) {
    this.root = root;
    this.trace = null;
    this.position = 0;
    this.lit = null;
    this.kind = "event";
    this.speed = 8;
    this.frame = 0;
    this.reporting = 0;
    this.resting = 0;
    this.report = () => {};
    this.reported = 1;
    this.find = { text: "", at: [], current: -1 };
    this.parts();
    this.panels = new Panels(below, (position) => this.seek(position));
    this.listen(below);
  }

  // --- set-up ---

  $(selector) {
    return this.root.querySelector(selector);
  }

  parts() {
    const seek = (position) => this.seek(position);
    this.timeline = new Timeline(this.$("canvas"), this.$(".cursor"), seek);
    this.constraint = new ConstraintLane(this.root);
    this.strip = new TokenStrip(this.$(".strip"), (token) => this.pickToken(token));
    this.panes = Object.fromEntries(FIELDS.map((name) => [
      name, new TextPane(this.$(`[data-card=${name}] .body`), (offset) => this.pickCharacter(name, -1, offset)),
    ]));
    this.calls = new CallTable(this.$("[data-card=calls] .body"), (call, offset) => this.pickCharacter("call", call, offset));
    this.set = Object.fromEntries([...this.root.querySelectorAll("[data-set]")].map((e) => [e.dataset.set, e]));
    this.out = Object.fromEntries([...this.root.querySelectorAll("[data-show]")].map((e) => [e.dataset.show, e]));
    this.cards = Object.fromEntries([...this.root.querySelectorAll("[data-card]")].map((e) => [e.dataset.card, e]));
  }

  listen(below) {
    this.root.addEventListener("click", (event) => this.clicked(event));
    for (const part of [this.root, below]) {
      for (const touched of ["pointerdown", "focusin"]) part.addEventListener(touched, () => (keysGoTo = this));
    }
    this.set.slider.addEventListener("input", () => this.seek(this.set.slider.value - 1));
    this.set.number.addEventListener("change", () => this.seek(Math.round(this.set.number.value) - 1));
    this.set.kind.addEventListener("change", () => this.chosen("kind", this.set.kind.value));
    this.set.speed.addEventListener("change", () => this.chosen("speed", Number(this.set.speed.value)));
    this.set.find.addEventListener("input", () => this.search(this.set.find.value));
    this.set.find.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.nextMatch(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") this.set.find.blur();
    });
  }

  /** Take a choice; a list opened with the mouse then gives the arrow keys back. */
  chosen(name, value) {
    this[name] = value;
    if (!this.set[name].matches(":focus-visible")) this.set[name].blur();
  }

  /** Listen to what lies outside the component; returns the function that stops it. */
  attach() {
    const onKey = (event) => this.pressed(event);
    document.addEventListener("keydown", onKey, true);
    const resized = new ResizeObserver(() => this.resized());
    resized.observe(this.root);
    resized.observe(this.$(".graph"));
    keysGoTo = this;
    return () => {
      document.removeEventListener("keydown", onKey, true);
      resized.disconnect();
      this.pause();
      cancelAnimationFrame(this.frame);
      clearTimeout(this.reporting);
      clearTimeout(this.resting);
      if (keysGoTo === this) keysGoTo = null;
    };
  }

  resized() {
    if (!this.trace) return;
    this.timeline.paint();
    this.graph.draw();
    this.strip.measure();
    this.draw();
  }

  async load(bytes) {
    this.bytes = bytes;
    const trace = prepare(await unpack(bytes));
    if (this.bytes !== bytes) return;
    const place = samePlace(this.trace, this.position, trace) ?? this.remembered(trace);
    this.pause();
    this.trace = trace;
    this.lit = null;
    this.set.slider.max = Math.max(1, trace.n);
    this.out.count.textContent = trace.n;
    this.root.classList.toggle("empty", trace.n === 0);
    drawLaws(this.out.laws, trace);
    drawVerdict(this.out.verdict, trace);
    if (trace.n === 0) return;
    this.constraint.load(trace);
    this.timeline.load(trace);
    this.strip.load(trace);
    this.calls.load();
    this.panels.load(trace);
    for (const link of this.root.querySelectorAll("[data-reveal]")) link.hidden = !this.panels.offers(link.dataset.reveal);
    this.graph = new StateGraph(this.$(".graph"), trace);
    this.search(this.find.text);
    this.position = -1;
    this.rested = -1;
    this.seek(place);
    performance.mark("stepper shown");
  }

  /** Where to open: the link's step on the first load of the page, else where this tab left the same trace. */
  remembered(trace) {
    const linked = this.trace ? NaN : Number.parseInt(new URLSearchParams(location.search).get("step"), 10);
    const stored = Number.parseInt(sessionStorage.getItem(`parserscope.step.${trace.meta.trace_id}`), 10);
    const number = Number.isNaN(linked) ? stored : linked;
    return Number.isNaN(number) ? 0 : number - 1;
  }

  // --- moving ---

  seek(position) {
    const { trace } = this;
    if (!trace?.n || Number.isNaN(Number(position))) return;
    const wanted = Math.max(0, Math.min(trace.n - 1, Number(position)));
    if (wanted !== this.position && this.lit) this.lit.follow = false;
    this.position = wanted;
    this.redraw();
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => this.remember(), REPORT_AFTER);
  }

  remember() {
    sessionStorage.setItem(`parserscope.step.${this.trace.meta.trace_id}`, this.position + 1);
    if (this.position + 1 === this.reported) return;
    this.reported = this.position + 1;
    this.report(this.reported);
  }

  jump(direction) {
    const found = jump(this.trace.jumps[this.kind], this.position, direction);
    if (found !== null) this.seek(found);
  }

  play() {
    if (this.playing) return this.pause();
    if (this.position >= this.trace.n - 1) this.seek(0);
    this.showPlaying(true);
    let last = performance.now();
    let due = 0;
    const tick = (now) => {
      due += ((now - last) / 1000) * this.speed;
      last = now;
      const steps = Math.floor(due);
      due -= steps;
      if (steps) this.seek(this.position + steps);
      if (this.position >= this.trace.n - 1) return this.pause();
      this.playing = requestAnimationFrame(tick);
    };
    this.playing = requestAnimationFrame(tick);
  }

  pause() {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    this.showPlaying(false);
  }

  showPlaying(on) {
    const button = this.$("[data-do=play]");
    button.firstElementChild.textContent = on ? "pause" : "play_arrow";
    button.setAttribute("aria-label", on ? "Pause" : "Play");
    this.out.why.setAttribute("aria-live", on ? "off" : "polite");
  }

  act(name) {
    const { trace, position } = this;
    if (!trace?.n) return;
    const actions = {
      first: () => this.seek(0),
      back: () => this.seek(position - 1),
      play: () => this.play(),
      next: () => this.seek(position + 1),
      last: () => this.seek(trace.n - 1),
      "jump-back": () => this.jump(-1),
      "jump-next": () => this.jump(1),
      follow: () => this.seek(this.lit.delta),
      find: () => this.set.find.focus(),
      clear: () => this.light(null),
      "token-back": () => this.pickToken((this.lit?.tokens[0] ?? trace.steps.tok[position]) - 1),
      "token-next": () => this.pickToken((this.lit?.tokens[0] ?? trace.steps.tok[position] - 1) + 1),
    };
    if (name !== "play" && this.playing) this.pause();
    actions[name]();
  }

  pressed(event) {
    const action = keysGoTo === this && this.trace?.n ? actionOf(event) : undefined;
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    this.act(action);
  }

  clicked(event) {
    const button = event.target.closest("[data-do]");
    if (button) return this.act(button.dataset.do);
    const link = event.target.closest("[data-reveal]");
    if (link) return this.panels.reveal(link.dataset.reveal);
    const span = event.target.closest(".event");
    if (span) return this.pickRaw(Number(span.dataset.start), Number(span.dataset.end));
    const id = event.target.closest(".chip[data-token]");
    if (id) this.pickToken(Number(id.dataset.token));
  }

  // --- origin ---

  pickCharacter(field, call, offset) {
    this.light(trailOfCharacter(this.trace, field, call, offset));
  }

  pickToken(token) {
    if (token < 0 || token >= this.trace.tokens.text.length) return;
    if (deltaOf(this.trace, token) > this.position) this.seek(deltaOf(this.trace, token));
    this.light(trailOfToken(this.trace, token));
  }

  pickRaw(start, end) {
    this.light(trailOfRange(this.trace, start, end));
  }

  light(lit) {
    this.lit = lit && { ...lit, follow: true };
    this.redraw();
  }

  // --- finding ---

  search(text) {
    const at = findAll(this.trace.raw, text);
    this.find = { text, at, current: -1 };
    this.$(".found").textContent = text ? `${at.length}` : "";
  }

  nextMatch(direction) {
    const { at, text, current } = this.find;
    if (!at.length) return;
    const next = current < 0 ? (direction > 0 ? 0 : at.length - 1) : (current + direction + at.length) % at.length;
    this.find.current = next;
    this.$(".found").textContent = `${next + 1}/${at.length}`;
    this.seek(deltaShowing(this.trace, at[next] + text.length));
    this.pickRaw(at[next], at[next] + text.length);
  }

  // --- drawing ---

  /** Draw at once, but at most once a frame: key repeat and drags never queue. */
  redraw() {
    this.stale = true;
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (this.stale) this.draw();
    });
    this.draw();
  }

  draw() {
    const { trace, position, lit } = this;
    this.stale = false;
    this.root.dataset.step = position + 1;
    this.set.slider.value = position + 1;
    this.set.number.value = position + 1;
    this.timeline.show(position);
    this.drawStory();
    for (const card of FACT_CARDS) this.mark(card, drawFacts(this.cards[card].querySelector("dl"), card, trace, position));
    drawRows(this.out.rows, trace, position);
    this.drawState();
    this.mark("events", drawEvents(this.cards.events.querySelector(".body"), trace, position));
    const [message, client] = drawMessages(...["message", "client"].map((c) => this.cards[c].querySelector(".body")), trace, position);
    this.mark("message", message);
    this.mark("client", client);
    this.graph.show(position, lit?.row ?? -1);
    this.drawFields(position === this.rested ? SHOWN_AT_REST : SHOWN_MOVING);
    this.strip.show(position, lit);
    this.constraint.show(position);
    this.panels.show(position);
    clearTimeout(this.resting);
    if (position !== this.rested) this.resting = setTimeout(() => this.rest(), REST_AFTER);
  }

  /** The reader stays here: lay out the long texts that were left out while moving. */
  rest() {
    this.rested = this.position;
    this.drawFields(SHOWN_AT_REST);
  }

  mark(card, changed) {
    this.cards[card].classList.toggle("changed", changed);
  }

  drawState() {
    const { states, steps, meta } = this.trace;
    const now = states[steps.state[this.position]];
    const was = this.position ? states[steps.state[this.position - 1]] : meta.start;
    this.out.state.textContent = was === now ? now : `${was} → ${now}`;
    this.out.start.textContent = `started in ${meta.start}${meta.start_why ? `: ${meta.start_why}` : ""}`;
    this.mark("machine", was !== now);
  }

  drawFields(most) {
    const { trace, position } = this;
    const outs = this.lit?.outs ?? [];
    for (const name of FIELDS) {
      const { text, fresh, length } = fieldAt(trace, position, name);
      const lit = outs.filter((out) => out.field === name).map((out) => out.out);
      this.panes[name].show(trace.meta.trace_id, text, fresh, lit, "nothing yet", most);
      this.head(name, `${length} chars`, length > fresh ? ` +${length - fresh}` : "");
      this.mark(name, length > fresh);
    }
    this.calls.show(trace, position, outs, most);
    const lengths = trace.steps.a[position];
    const earlier = before(trace.steps.a, position, []);
    this.head("calls", lengths.length === 1 ? "1 call" : `${lengths.length} calls`, "");
    this.mark("calls", lengths.length !== earlier.length || lengths.some((length, k) => length !== earlier[k]));
  }

  head(card, text, grown) {
    const small = this.cards[card].querySelector("h3 small");
    small.replaceChildren(text, make("b", "grown", grown));
  }

  drawStory() {
    const { trace, position, lit } = this;
    this.out.trail.textContent = lit ? lit.text : HINT;
    this.out.trail.title = lit ? lit.text : "";
    this.out.trail.classList.toggle("none", !lit);
    this.$(".trail").classList.toggle("lit", Boolean(lit));
    const follow = this.$("[data-do=follow]");
    follow.hidden = !lit || lit.delta === undefined || lit.delta === position;
    follow.textContent = lit?.delta === undefined ? "" : `Go to delta ${lit.delta + 1}`;
    this.out.why.replaceChildren(...sentence(trace.sentences[trace.steps.why[position]] ?? ""));
  }
}

export default function mount({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".stepper");
  if (!steppers.has(root)) steppers.set(root, new Stepper(root, parentElement.querySelector(".panels")));
  const stepper = steppers.get(root);
  stepper.detach ??= stepper.attach();
  stepper.report = (position) => setStateValue("pos", position);
  if (!sameBytes(stepper.bytes, data)) stepper.load(data);
  return () => {
    stepper.detach?.();
    stepper.detach = null;
  };
}

/** Bytes are compared, not their holder: Streamlit hands over a new array on every run. */
function sameBytes(a, b) {
  return a !== undefined && a.length === b.length && a.every((byte, k) => byte === b[k]);
}
