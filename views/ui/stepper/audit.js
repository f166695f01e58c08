// Whether hidden thinking can be read all the same, field by field, and the token counts beside it. The same at every
// delta, so it is drawn once a trace.
import { code, make, none, sentence, wrap } from "./dom.js";
import { auditRows, whyCounts } from "./served.js";

const SHOWN_OF_LEAK = 600;
const OUTCOMES = {
  clean: ["✓", "no hidden text"],
  leak: ["✗", "hidden text found"],
  unreadable: ["?", "cannot be read: its tokens could not be decoded"],
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
    this.part = (name) => host.querySelector(`[data-audit=${name}]`);
  }

  load(trace) {
    if (!trace.serving) return false;
    this.drawAudit(trace.serving.audit);
    this.drawUsage(trace.serving.usage);
    return true;
  }

  drawAudit(audit) {
    const leaking = new Set(audit.leaks.map((leak) => leak.field)).size;
    this.note = audit.hidden ? (leaking ? `✗ ${leaking}` : "✓") : "";
    this.part("verdict").textContent = verdictOf(audit, leaking);
    this.part("verdict").classList.toggle("broken", leaking > 0);
    this.part("fields").replaceChildren(...(audit.hidden ? auditRows(audit).map(fieldRow) : []));
    this.part("never").replaceChildren(...(audit.hidden ? neverHidden(audit.never_hidden) : []));
  }

  drawUsage(usage) {
    this.part("usage").replaceChildren(...COUNTS.flatMap(([name, label]) => countLine(label, usage[name])));
    this.part("why").replaceChildren(...sentence(whyCounts(usage)));
  }

  /** Nothing depends on the delta. */
  show() {}
}

function verdictOf(audit, leaking) {
  if (!audit.hidden) return "Nothing is hidden in this request.";
  if (leaking) return `Reasoning is hidden, yet it can be read in ${leaking === 1 ? "1 field" : `${leaking} fields`}.`;
  return audit.unreadable.length ? "No hidden text in any field that could be read." : "No hidden text in any field.";
}

function neverHidden(fields) {
  const names = fields.map((field) => `\`${field}\``).join(", ");
  return sentence(`Never hidden: ${names}. They tell that and how long the model thought, not what (P-44).`);
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
