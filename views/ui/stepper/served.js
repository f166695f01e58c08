// Pure functions over what stands beside the columns of a trace: `serving` (the lines a client gets, the constraint, the
// leak audit, the token counts) and `delegating` (phases and state of that composition). Either may be absent or null.
//
// Deltas and lines are counted from 0 here; people see them counted from 1.
import { above, tokensOf } from "./model.js";

export const FREEDOMS = ["free", "masked", "grammar"];
export const LETTERS = ["F", "M", "G"];
const FREE = 0;

// --- lines ---

/** First and last line (half-open) that were sent for delta `i`. */
export function linesOf({ serving }, i) {
  return [serving.line_of[i], serving.line_of[i + 1]];
}

/** How many lines the client has after delta `i`; those that close the response come with the last delta. */
export function sentBy({ serving, n }, i) {
  return i === n - 1 ? serving.lines.length : serving.line_of[i + 1];
}

/** The delta that line `line` was sent for; "opening" or "closing" for the lines around all of them. */
export function placeOf({ serving }, line) {
  const found = above(serving.line_of, line) - 1;
  if (found < 0) return "opening";
  return found >= serving.line_of.length - 1 ? "closing" : found;
}

/** Why nothing is sent for delta `i`, in a sentence: what the parser did, or what serving took out of its message. */
export function whyNothing(trace, i) {
  const { steps, serving, sentences } = trace;
  const message = steps.message[i];
  if (message === null) return sentences[steps.why[i]] || "The parser has nothing to say.";
  if (message.reasoning && serving.audit.hidden) return "Reasoning is hidden in this request, and without it nothing is left (P-40).";
  if (message.tool_calls) return "Its calls are not for this client: the request or the server keeps none of them (P-24, P-26).";
  return "The parser's message adds nothing (P-27).";
}

const HEAD = /^data: \{"id": .*?(?:"choices": \[\{"index": 0, (?="delta": )|(?="choices": ))/;

/** A line with what all lines of the response begin with folded away: its id and model, and the only choice's index. */
export function foldHead(line) {
  return line.replace(HEAD, "data: {… ");
}

/** The JSON of a `data:` line; undefined when it carries none, as the sentinel does. */
export function jsonOf(line) {
  try {
    return JSON.parse(line.replace(/^data: /, ""));
  } catch {
    return undefined;
  }
}

// --- constraint ---

/** The timeline of a trace, or null when nothing constrains it. */
export function timelineOf(trace) {
  return trace.serving?.timeline ?? null;
}

/** Runs of equal freedom over all tokens in at most `columns` parts; a part shows the strictest of its tokens. */
export function freedomRuns(freedom, columns) {
  const parts = Math.min(columns, freedom.length);
  const runs = [];
  for (let part = 0; part < parts; part++) {
    const start = Math.floor((part * freedom.length) / parts);
    const end = Math.floor(((part + 1) * freedom.length) / parts);
    const strictest = Math.max(...freedom.slice(start, end));
    if (runs.at(-1)?.freedom === strictest) runs.at(-1).end = end;
    else runs.push({ freedom: strictest, start, end });
  }
  return runs;
}

/** What delta `i`'s tokens were allowed, as runs of tokens with the same freedom and sentence; none without tokens. */
export function freedomAt(trace, i) {
  const { freedom, why, sentences } = timelineOf(trace);
  const [first, last] = tokensOf(trace, i);
  const runs = [];
  for (let token = first; token < last; token++) {
    const run = runs.at(-1);
    if (run && freedom[token] === run.freedom && sentences[why[token]] === run.sentence) run.end = token + 1;
    else runs.push({ freedom: freedom[token], sentence: sentences[why[token]], start: token, end: token + 1 });
  }
  return runs;
}

/** Class names of a token's chip: its freedom, and whether it is the first of that kind. */
export function freedomLook(trace, token) {
  const freedom = timelineOf(trace)?.freedom;
  if (!freedom) return "";
  const turns = freedom[token] !== (token ? freedom[token - 1] : FREE);
  return ` f-${FREEDOMS[freedom[token]]}${turns ? " turns" : ""}`;
}

/** What a token's hint adds about its freedom; "" when nothing constrains the stream. */
export function freedomName(trace, token) {
  const freedom = timelineOf(trace)?.freedom;
  return freedom ? `, ${FREEDOMS[freedom[token]]}` : "";
}

// --- audit and counts ---

/** One row a field: what the audit made of it, "clean", "leak" or "unreadable", and the texts found in it. */
export function auditRows({ checked, leaks, unreadable }) {
  const found = (field) => leaks.filter((leak) => leak.field === field).map((leak) => leak.text);
  const fields = [...new Set([...checked, ...leaks.map((leak) => leak.field)])].filter((field) => !unreadable.includes(field));
  return [
    ...fields.map((field) => ({ field, outcome: found(field).length ? "leak" : "clean", texts: found(field) })),
    ...unreadable.map((field) => ({ field, outcome: "unreadable", texts: [] })),
  ];
}

/** Why there are two numbers of reasoning tokens, or none; "" when one number says it all. */
export function whyCounts({ reasoning_tokens: reported, reasoning_generated_only: generated }) {
  if (reported === null) return "No reasoning parser is named, so the response has no such count (P-35).";
  if (generated === null || generated === reported) return "";
  return "The prompt opened thinking, so its opening marker is not among the generated ids: a counter that sees only those misses this part (P-38).";
}

// --- delegating ---

/** The state's fields at delta `i`: [{field, before, after, changed}]. */
export function stateRows({ delegating }, i) {
  const { before, after } = delegating.steps[i];
  return delegating.fields.map((field, k) => ({ field, before: before[k], after: after[k], changed: before[k] !== after[k] }));
}

/** The phases at delta `i` with what each did: [{name, clauses}]; one without clauses did not act. */
export function phasesAt({ delegating }, i) {
  const { phases } = delegating.steps[i];
  return delegating.phases.map((name, k) => ({ name, clauses: phases.filter(([index]) => index === k).map(([, clause]) => clause) }));
}
