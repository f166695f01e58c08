// Pure functions over a packed trace: what a delta holds, where to jump, where a character came from.
//
// Offsets are UTF-16 units, 0-based, half-open, as in `parsers.debug.pack`. A delta is counted from 0 here; people see
// it counted from 1. Nothing in this file touches the page, so `node` can test all of it.

export const KINDS = ["reasoning", "content", "tool", "marker", "dropped"];
export const JUMPS = ["event", "state", "held", "field", "row"];
const MOST_MATCHES = 10000;

/** Unpack gzip bytes of JSON. */
export async function unpack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** Add to a trace what is asked again and again: jump lists and the delta at which each row was first taken. */
export function prepare(trace) {
  const { steps, rows } = trace;
  const n = steps.shown.length;
  const jumps = Object.fromEntries(JUMPS.map((kind) => [kind, []]));
  const firstTaken = new Array(rows.length).fill(Infinity);
  const endOfCall = [];
  for (let i = 0; i < n; i++) {
    for (const kind of JUMPS) if (STANDS_OUT[kind](steps, i)) jumps[kind].push(i);
    for (const row of steps.rows[i]) firstTaken[row] = Math.min(firstTaken[row], i);
    for (const [type, , call] of steps.events[i]) if (type === "TOOL_CALL_END") endOfCall[call] = i;
  }
  return { ...trace, n, jumps, firstTaken, endOfCall };
}

/** Whether an event is the beginning or end of something, not text on its way or an entry of the account. */
export function isBoundary(type) {
  return !/_CHUNK$|^MARKER$|^DROPPED$/.test(type);
}

const STANDS_OUT = {
  event: (s, i) => s.events[i].some(([type]) => isBoundary(type)),
  state: (s, i) => i > 0 && s.state[i] !== s.state[i - 1],
  held: (s, i) => heldText(s, i) !== "" && (i === 0 || heldText(s, i - 1) === ""),
  field: (s, i) => fieldChanged(s, i),
  row: (s, i) => s.rows[i].length > 0,
};

/** Everything the parser keeps for later after delta `i`: the detokenizer's part, the lexer's, the codec's. */
export function heldText(steps, i) {
  return steps.buffer[i] + steps.deferred[i].join("") + steps.detok[i] + (steps.codec[i]?.held ?? "");
}

function fieldChanged(steps, i) {
  const last = i - 1;
  return (
    steps.r[i] !== before(steps.r, i, 0) ||
    steps.c[i] !== before(steps.c, i, 0) ||
    steps.a[i].length !== before(steps.a, i, []).length ||
    steps.a[i].some((length, call) => length !== (last < 0 ? 0 : (steps.a[last][call] ?? 0)))
  );
}

/** The value of a column at the delta before `i`, or `none` before the first. */
export function before(column, i, none) {
  return i > 0 ? column[i - 1] : none;
}

/** Index of the first entry of the rising array `list` that is greater than `value`. */
export function above(list, value, key = (x) => x) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(list[middle]) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The next (`direction` 1) or previous (-1) entry of the rising `list` seen from `position`, or null. */
export function jump(list, position, direction) {
  const found = direction > 0 ? above(list, position) : above(list, position - 1) - 1;
  return list[found] ?? null;
}

/** Visible text that delta `i` added. */
export function deltaText(trace, i) {
  return trace.raw.slice(before(trace.steps.shown, i, 0), trace.steps.shown[i]);
}

/** First and last token index (half-open) that delta `i` brought. */
export function tokensOf(trace, i) {
  return [trace.steps.tok[i], trace.steps.tok[i + 1]];
}

/** The delta that brought token `token`. */
export function deltaOf(trace, token) {
  return Math.min(above(trace.steps.tok, token) - 1, trace.n - 1);
}

/** The first delta after which raw text up to `offset` has been shown. */
export function deltaShowing(trace, offset) {
  return Math.max(0, Math.min(above(trace.steps.shown, offset - 1), trace.n - 1));
}

/** Where to open a trace that takes the place of another: at the same raw text when that stayed, else nowhere (null). */
export function samePlace(old, position, fresh) {
  if (!old || old.raw !== fresh.raw || old.n === 0) return null;
  return deltaShowing(fresh, old.steps.shown[position]);
}

/** Half-open token range whose text overlaps the raw range. */
export function tokensIn(trace, start, end) {
  const { tokens } = trace;
  return [above(tokens.end, start), Math.max(above(tokens.end, start), above(tokens.start, end - 1))];
}

/** One output field after delta `i`: its text and from where on it is new. */
export function fieldAt(trace, i, name) {
  const column = name === "reasoning" ? trace.steps.r : trace.steps.c;
  const whole = trace.fields[name] ?? "";
  return { text: whole.slice(0, column[i]), fresh: before(column, i, 0), length: column[i] };
}

/** The calls known after delta `i`, with their arguments so far. */
export function callsAt(trace, i) {
  return trace.steps.a[i].map((length, index) => {
    const call = trace.fields.calls[index] ?? { index, id: "", name: "", arguments: "", complete: false };
    const ended = trace.endOfCall[index] ?? Infinity;
    return {
      index: call.index,
      id: call.id ?? "",
      name: call.name,
      text: call.arguments.slice(0, length),
      fresh: i > 0 ? (trace.steps.a[i - 1][index] ?? 0) : 0,
      isNew: i === 0 || index >= trace.steps.a[i - 1].length,
      length,
      status: ended <= i ? (call.complete ? "complete" : "incomplete") : "open",
    };
  });
}

/** The list of origin pieces of an output: field "reasoning", "content" or "call" with its index. */
function piecesOf(trace, field, call) {
  return (field === "call" ? trace.origin.calls[call] : trace.origin[field]) ?? [];
}

/** Where the character at `offset` of an output came from: raw range, token range, account row. Null when unknown. */
export function sourceOf(trace, field, call, offset) {
  const pieces = piecesOf(trace, field, call);
  const piece = pieces[above(pieces, offset, (p) => p[0]) - 1];
  if (!piece || offset >= piece[1]) return null;
  const [outStart, outEnd, rawStart, rawEnd, rule] = piece;
  const exact = outEnd - outStart === rawEnd - rawStart;
  const raw = exact ? [rawStart + offset - outStart, rawStart + offset - outStart + 1] : [rawStart, rawEnd];
  return { field, call, out: exact ? [offset, offset + 1] : [outStart, outEnd], raw, rule, tokens: tokensIn(trace, ...raw) };
}

/** The parts of the outputs that the raw range became. */
export function outputsOf(trace, start, end) {
  const fields = [["reasoning", -1], ["content", -1], ...trace.origin.calls.map((_, call) => ["call", call])];
  return fields.flatMap(([field, call]) => piecesOf(trace, field, call)
    .filter(([, , rawStart, rawEnd]) => rawStart < end && rawEnd > start)
    .map((piece) => ({ field, call, out: clip(piece, start, end), rule: piece[4] })));
}

function clip([outStart, outEnd, rawStart, rawEnd], start, end) {
  if (outEnd - outStart !== rawEnd - rawStart) return [outStart, outEnd];
  return [outStart + Math.max(start, rawStart) - rawStart, outStart + Math.min(end, rawEnd) - rawStart];
}

/** Entries of the account that overlap the raw range; those of an empty range are the entry it stands in. */
export function accountOf(trace, start, end) {
  const { account } = trace;
  const from = above(account, start, (entry) => entry[1]);
  const found = [];
  for (let k = from; k < account.length && account[k][0] < Math.max(end, start + 1); k++) found.push(account[k]);
  return found;
}

/** Starts of all places where `needle` stands in `text` (at most 10,000). */
export function findAll(text, needle) {
  const found = [];
  if (!needle) return found;
  for (let at = text.indexOf(needle); at >= 0 && found.length < MOST_MATCHES; at = text.indexOf(needle, at + 1)) found.push(at);
  return found;
}

/** What the whole run came to, in words: `ok`, and parts of which the first says the most. */
export function verdict(trace) {
  const { fields, laws, meta } = trace;
  const count = (text) => `${text.length.toLocaleString("en")} characters`;
  const parts = [];
  if (fields.reasoning) parts.push(`reasoning ${count(fields.reasoning)}`);
  if (fields.content) parts.push(`content ${count(fields.content)}`);
  const names = fields.calls.map((call) => visible(call.name));
  if (names.length) parts.push(`${names.length === 1 ? "1 call" : `${names.length} calls`}: ${shorten(names, 4)}`);
  if (!parts.length) parts.push("no field got any text");
  const broken = laws.filter((law) => !law.ok).map((law) => law.law);
  if (broken.length) parts.push(`broken: ${broken.join(", ")}`);
  else if (laws.length) parts.push(`all ${laws.length} laws hold`);
  const warnings = warningsOf(trace);
  parts.push(...warnings);
  parts.push(`${meta.deltas.toLocaleString("en")} deltas, finish reason ${meta.finish_reason}, parsed in ${meta.parse_ms.toFixed(1)} ms`);
  return { state: broken.length ? "broken" : warnings.length ? "warned" : "ok", parts };
}

function shorten(names, most) {
  return names.length > most ? `${names.slice(0, most).join(", ")} and ${names.length - most} more` : names.join(", ");
}

function warningsOf(trace) {
  const warnings = [];
  const unfinished = trace.fields.calls.filter((call) => !call.complete).length;
  if (unfinished) warnings.push(unfinished === 1 ? "1 call is incomplete" : `${unfinished} calls are incomplete`);
  const repaired = new Set(trace.steps.rows.flat().filter((row) => trace.rows[row].recovery)).size;
  if (repaired) warnings.push(repaired === 1 ? "1 recovery row was taken" : `${repaired} recovery rows were taken`);
  const leaking = new Set(trace.serving?.audit.leaks.map((leak) => leak.field)).size;
  if (leaking) warnings.push(`hidden reasoning can be read in ${leaking === 1 ? "1 field" : `${leaking} fields`}`);
  return warnings;
}

/** Cut `length` units into runs at the borders of `ranges` ({start, end, name}); each run lists the names that cover it. */
export function runs(from, length, ranges) {
  const inside = ranges.filter(({ start, end }) => start < end);
  const borders = new Set([from, length]);
  for (const { start, end } of inside) for (const at of [start, end]) if (at > from && at < length) borders.add(at);
  const sorted = [...borders].sort((a, b) => a - b);
  return sorted.slice(0, -1).map((start, k) => ({
    start,
    end: sorted[k + 1],
    names: inside.filter((r) => r.start <= start && r.end >= sorted[k + 1]).map((r) => r.name),
  }));
}

const CONTROLS = { "\n": "⏎", "\t": "⇥", "\r": "␍", "\0": "␀" };
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Text on one line with white space that matters made visible: ends, doubled spaces, line ends, unseen characters. */
export function visible(text) {
  return text
    .replace(/^ +| +$| {2,}/g, (spaces) => "␣".repeat(spaces.length))
    .replace(UNSEEN, (c) => CONTROLS[c] ?? `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** As `visible`, but the one space that a token carries before its word stays a space. */
export function visibleToken(text) {
  return /^ [^\s]/.test(text) ? ` ${visible(text.slice(1))}` : visible(text);
}

/** Split a sentence at its `code` parts: [text, isCode] pairs. */
export function splitCode(sentence) {
  return sentence.split(/`([^`]*)`/).map((part, k) => [part, k % 2 === 1]).filter(([part]) => part !== "");
}

/** The last `most` units of `text`, never beginning inside a surrogate pair. */
export function tailStart(text, most) {
  const start = Math.max(0, text.length - most);
  const unit = text.charCodeAt(start);
  return start > 0 && unit >= 0xdc00 && unit <= 0xdfff ? start + 1 : start;
}
