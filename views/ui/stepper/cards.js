// One card a stage: what went in, what came out, what is kept. A card is a list of facts; a fact that differs from the
// previous delta is marked, and so is its card.
import { callsAt, deltaText, isBoundary, tailStart, tokensOf, visible } from "./model.js";
import { code, make, none, orNone } from "./dom.js";

const JSON_WIDTH = 46;
const TAIL = 400;

/**
 * Print JSON on few lines: what fits in `width` characters stays on one, and what has a single entry is not indented.
 * `lead` is what stands before the value on its line.
 */
export function printJson(value, width = JSON_WIDTH, indent = "", lead = indent) {
  const flat = spaced(value);
  if (value === null || typeof value !== "object" || lead.length + flat.length <= width) return flat;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const name = (key) => (Array.isArray(value) ? "" : `${JSON.stringify(key)}: `);
  const entries = Object.entries(value);
  if (entries.length === 1) {
    const [[key, only]] = entries;
    const start = open + name(key);
    return start + printJson(only, width - 1, indent, lead + start) + close;
  }
  const inner = `${indent}  `;
  const parts = entries.map(([key, part]) => inner + name(key) + printJson(part, width - 1, inner, inner + name(key)));
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

function spaced(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  const parts = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${spaced(part)}`);
  return `{${parts.join(", ")}}`;
}

/** A spelling with the part that the lexer has already seen set apart. */
export function seenPart(buffer, spelling) {
  for (let length = Math.min(buffer.length, spelling.length); length > 0; length--) {
    if (buffer.endsWith(spelling.slice(0, length))) return length;
  }
  return 0;
}

/** [label, nodes, signature] for each stage; the signature decides whether the fact changed. */
const FACTS = {
  input: (t, i) => {
    const [first, last] = tokensOf(t, i);
    const text = deltaText(t, i);
    const ids = t.tokens.id ? t.tokens.id.slice(first, last) : null;
    const held = t.steps.detok[i];
    return [
      ["text", text ? [code(text, "strong")] : [none("no visible text")], text],
      ["ids", ids ? orNone(ids.map((id, k) => idChip(t, id, first + k)), "no new id") : [none("text-only stream")], `${ids}`],
      ["detokenizer holds", held ? [code(held, "held")] : [none()], held],
    ];
  },
  scanner: (t, i) => [
    ["items", orNone(t.steps.items[i].map(itemChip), "no item"), JSON.stringify(t.steps.items[i])],
    ["deferred", orNone(t.steps.deferred[i].map((name) => make("span", "chip held", name)), "no marker waits for its text"), `${t.steps.deferred[i]}`],
  ],
  lexer: (t, i) => {
    const buffer = t.steps.buffer[i];
    const candidates = t.steps.candidates[i];
    return [
      ["buffer", buffer ? [code(buffer, "held")] : [none("empty")], buffer],
      ["may become", orNone(candidates.map((name) => candidateChip(t, name, buffer)), buffer ? "what follows decides" : "no marker in sight"), `${candidates}`],
    ];
  },
  codec: (t, i) => {
    const codec = t.steps.codec[i];
    if (!codec) return [["", [none("No arguments in this delta.")], "-"]];
    const json = t.steps.call[i] >= 0 ? (callsAt(t, i)[t.steps.call[i]]?.text ?? "") : "";
    return [
      ["codec", [make("span", "chip", codec.kind)], codec.kind],
      ["depth", [make("b", "number", codec.depth)], `${codec.depth}`],
      ["watermark", [make("b", "number", codec.json_len)], `${codec.json_len}`],
      ["in string", [make("b", "", codec.in_string ? "yes" : "no")], `${codec.in_string}`],
      [`raw · ${codec.raw_len}`, [tailOf(codec.raw)], codec.raw + codec.raw_len],
      [`JSON so far · ${json.length}`, [tailOf(json)], json],
      ["held tail", codec.held ? [code(codec.held, "held")] : [none()], codec.held],
    ];
  },
  gate: (t, i) => {
    const [ended, since, row] = t.steps.gate[i];
    return [
      ["reasoning_ended", [make("b", ended ? "lamp on" : "lamp", ended ? "true" : "false")], `${ended}`],
      ["since", [ended ? make("span", "", since < 0 ? "the start" : `delta ${since + 1}`) : none("not yet")], `${since}`],
      ["by row", row >= 0 ? [make("span", "wrap", rowName(t, row))] : [none(ended ? "no row: the prompt" : "none yet")], `${row}`],
    ];
  },
};

function rowName(trace, index) {
  const row = trace.rows[index];
  return `${trace.states[row.from]} —${row.terminal}→ ${trace.states[row.to]}`;
}

function idChip(trace, id, token) {
  return make("span", "chip number", id, { title: `token ${token}: ${visible(trace.tokens.text[token])}`, "data-token": token });
}

function itemChip([kind, name, spelling]) {
  if (kind === "text") return code(name, "chip");
  const chip = make("span", "chip marker", name);
  if (spelling) chip.append(" ", code(spelling));
  return chip;
}

function candidateChip(trace, name, buffer) {
  const spelling = trace.markers.find((marker) => marker.name === name)?.spelling ?? "";
  const seen = seenPart(buffer, spelling);
  const shown = make("code");
  shown.append(make("b", "seen", spelling.slice(0, seen)), make("span", "unseen", spelling.slice(seen)));
  const chip = make("span", "chip", `${name} `);
  chip.append(shown);
  return chip;
}

/** The end of a text on one line; the hint holds more of it. */
function tailOf(text) {
  const shown = visible(text.slice(tailStart(text, TAIL)));
  const box = make("code", "tail", undefined, { title: shown });
  box.append(make("span", "", shown));
  return box;
}

/** Fill the list `host` with the facts of one stage at delta `i`; returns whether anything changed. */
export function drawFacts(host, stage, trace, i) {
  const facts = FACTS[stage](trace, i);
  const earlier = new Map(i > 0 ? FACTS[stage](trace, i - 1).map(([label, , signature]) => [key(label), signature]) : []);
  let any = false;
  const nodes = facts.flatMap(([label, values, signature]) => {
    const changed = i > 0 && earlier.get(key(label)) !== signature;
    any ||= changed;
    const value = make("dd", changed ? "changed" : "");
    value.append(...values);
    return [make("dt", changed ? "changed" : "", label), value];
  });
  host.replaceChildren(...nodes);
  return any;
}

const key = (label) => label.split(" · ")[0];

/** List the events of delta `i`; each carries its raw span for the click. */
export function drawEvents(host, trace, i) {
  const events = trace.steps.events[i];
  const rows = events.map(([type, text, call, start, end, rule]) => {
    const line = make("button", "event", undefined, {
      type: "button", "data-start": start, "data-end": end, title: `raw ${start}–${end}, ${rule}: show its tokens`,
    });
    line.append(make("span", isBoundary(type) ? "chip boundary" : "chip", type));
    if (call >= 0) line.append(make("span", "call", `#${call}`));
    if (text) line.append(code(text));
    line.append(make("span", "rule", rule));
    return line;
  });
  host.replaceChildren(...orNone(rows, trace.steps.buffer[i] ? "No event: the text is held back." : "No event."));
  return events.some(([type]) => isBoundary(type));
}

/** Show the parser's message and what the client receives; says so when the two differ. */
export function drawMessages(parserHost, clientHost, trace, i) {
  const { message, client } = trace.steps;
  const parser = message[i] === null ? "" : printJson(message[i]);
  const sent = client[i] === null ? "" : printJson(client[i]);
  parserHost.replaceChildren(parser ? make("pre", "json", parser) : none("null: nothing to say in this delta"));
  clientHost.replaceChildren(sent ? make("pre", "json", sent) : none("no chunk is sent"));
  clientHost.classList.toggle("differs", parser !== sent);
  const changed = (column) => i > 0 && kindOf(column[i]) !== kindOf(column[i - 1]);
  return [changed(message), changed(client)];
}

/** Which keys a message has: two chunks of the same field are "the same kind of thing". */
function kindOf(message) {
  return message === null ? "null" : Object.keys(message).filter((name) => message[name] !== null).join();
}

/** The rows taken in delta `i`, in words. */
export function drawRows(host, trace, i) {
  const lines = trace.steps.rows[i].map((index) => {
    const row = trace.rows[index];
    const line = make("span", row.recovery ? "row recovery" : "row", undefined, { title: row.id });
    line.append(make("b", "", rowName(trace, index)));
    if (row.recovery) line.append(make("span", "chip warning", "recovery"));
    if (row.note) line.append(make("span", "note", row.note));
    return line;
  });
  host.replaceChildren(...orNone(lines, `No row taken: stays in ${trace.states[trace.steps.state[i]]}.`));
}
