// Whether hidden thinking can be read all the same, field by field, and the token counts beside it. The same at every
// delta, so it is drawn once a trace.
import { code, make, none, wrap } from "./dom.js";
import { auditRows, whyCounts } from "./served.js";

const SHOWN_OF_LEAK = 600;
const OUTCOMES = {
  clean: ["✓", "no hidden text"],
  leak: ["✗", "hidden text found"],
  unreadable: ["?", "cannot be read: its tokens could not be decoded"],
  shown: ["–", "never hidden: it tells that and how long the model thought, not what (P-44)"],
};
const COUNTS = [
  ["prompt_tokens", "prompt"],
  ["completion_tokens", "completion"],
  ["total_tokens", "total"],
  ["reasoning_tokens", "of these reasoning"],
  ["reasoning_generated_only", "reasoning by the generated ids alone"],
];

export class AuditPanel {
  constructor(host) {
    this.audit = host.querySelector("[data-audit=fields]");
    this.verdict = host.querySelector("[data-audit=verdict]");
    this.usage = host.querySelector("[data-audit=usage]");
    this.why = host.querySelector("[data-audit=why]");
  }

  load(trace) {
    if (!trace.serving) return false;
    const { audit, usage } = trace.serving;
    const leaking = new Set(audit.leaks.map((leak) => leak.field)).size;
    this.note = audit.hidden ? (leaking ? `✗ ${leaking}` : "✓") : "";
    this.verdict.textContent = verdictOf(audit, leaking);
    this.verdict.className = leaking ? "broken" : "";
    this.audit.hidden = !audit.hidden;
    this.audit.replaceChildren(...auditRows(audit).map(fieldRow));
    this.usage.replaceChildren(...COUNTS.flatMap(([name, label]) => countLine(label, usage[name])));
    this.why.textContent = whyCounts(usage);
    return true;
  }

  /** Nothing depends on the delta. */
  show() {}
}

function verdictOf(audit, leaking) {
  if (!audit.hidden) return "Nothing is hidden in this request.";
  if (leaking) return `Reasoning is hidden, yet it can be read in ${leaking === 1 ? "1 field" : `${leaking} fields`}.`;
  return audit.unreadable.length ? "No hidden text in any field that could be read." : "No hidden text in any field.";
}

function fieldRow({ field, outcome, texts }) {
  const [mark, meaning] = OUTCOMES[outcome];
  const found = texts.map((text) => wrap("div", "leaked", [code(text.slice(0, SHOWN_OF_LEAK)), ...rest(text)]));
  return wrap("tr", outcome, [
    make("td", "mark", mark, { "aria-hidden": "true" }),
    wrap("th", "", [make("code", "", field)], { scope: "row" }),
    wrap("td", "", [make("span", "", meaning), ...found]),
  ]);
}

function rest(text) {
  return text.length > SHOWN_OF_LEAK ? [none(` and ${text.length - SHOWN_OF_LEAK} characters more`)] : [];
}

function countLine(label, count) {
  return [make("dt", "", label), wrap("dd", "", [count === null ? none("not counted") : make("b", "number", count.toLocaleString("en"))])];
}
