// Where a character came from and where a token went, as what to light up and one sentence. Pure functions.
import { accountOf, deltaOf, outputsOf, sourceOf, tokensIn, visible } from "./model.js";
import { describeRow } from "./graph.js";

/** Follow a character of an output back: field "reasoning", "content" or "call" with its index. */
export function trailOfCharacter(trace, field, call, offset) {
  const source = sourceOf(trace, field, call, offset);
  if (!source) {
    const text = "The parser made this character itself: no raw text stands for it.";
    return { tokens: [0, 0], outs: [{ field, call, out: [offset, offset + 1] }], row: -1, delta: undefined, text };
  }
  const [start, end] = source.raw;
  const name = field === "call" ? `the arguments of call ${call}` : field;
  const from = `“${visible(trace.raw.slice(start, end))}” in ${name} came from ${nameTokens(trace, source.tokens)}`;
  const trail = trailOfRange(trace, start, end);
  const text = `${from}, raw ${start}–${end}, rule “${source.rule}”, ${nameRow(trace, trail.row)}`;
  return { ...trail, outs: [source], text };
}

/** Follow a token to the fields, markers or rules that took its text. */
export function trailOfToken(trace, token) {
  const start = trace.tokens.start[token];
  const end = trace.tokens.end[token];
  const trail = trailOfRange(trace, start, end);
  const went = new Set(accountOf(trace, start, end).map(([, , where]) => where));
  const where = end > start ? [...went].join(", then ") : "no text of its own";
  const tokens = [token, token + 1];
  const text = `${nameTokens(trace, tokens)} → ${where}, ${nameRow(trace, trail.row)}`;
  return { ...trail, tokens, delta: deltaOf(trace, token), text };
}

/** Follow a range of the raw output both ways. */
export function trailOfRange(trace, start, end) {
  const tokens = tokensIn(trace, start, end);
  const outs = outputsOf(trace, start, end);
  const row = rowOf(trace, start, end, outs);
  return {
    tokens,
    outs,
    row,
    delta: deltaOf(trace, tokens[0]),
    text: `raw ${start}–${end}: ${nameTokens(trace, tokens)}, ${nameRow(trace, row)}`,
  };
}

/** The row that took the range: the account names it, or else the rule of what it became. -1 when there is none. */
function rowOf(trace, start, end, outs) {
  const entry = accountOf(trace, start, end).find(([, , , index]) => index >= 0);
  if (entry) return entry[3];
  return trace.rows.findIndex((row) => outs.some((out) => out.rule === row.id));
}

function nameTokens(trace, [first, last]) {
  const { tokens } = trace;
  const name = (token) => `“${visible(tokens.text[token])}”${tokens.id ? ` (id ${tokens.id[token]})` : ""}`;
  if (last <= first) return "no token";
  if (last - first === 1) return `token ${first} ${name(first)}, delta ${deltaOf(trace, first) + 1}`;
  return `tokens ${first}–${last - 1} ${name(first)} … ${name(last - 1)}`;
}

function nameRow(trace, row) {
  return row < 0 ? "no row taken: the state stays" : `row ${describeRow(trace.states, trace.rows[row])}`;
}
