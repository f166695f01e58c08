// The delegating composition at one delta: its eight phases in order, those that acted with what they did, and the stream
// state before and after.
import { code, make, none, sentence, wrap } from "./dom.js";
import { phasesAt, stateRows } from "./served.js";

export class DelegatingPanel {
  constructor(host) {
    this.note = "";
    this.phases = host.querySelector("[data-delegating=phases]");
    this.state = host.querySelector("[data-delegating=state]");
    this.summary = host.querySelector("[data-delegating=summary]");
  }

  load(trace) {
    this.trace = trace;
    return Boolean(trace.delegating);
  }

  show(position) {
    const phases = phasesAt(this.trace, position);
    const rows = stateRows(this.trace, position);
    const acted = phases.filter(({ clauses }) => clauses.length).length;
    const changed = rows.filter((row) => row.changed).length;
    this.summary.textContent = `${acted} of ${phases.length} phases acted · ${changed} of ${rows.length} values changed`;
    this.phases.replaceChildren(...phases.map(phaseBox));
    this.state.replaceChildren(...rows.map(stateRow));
  }
}

function phaseBox({ name, clauses }, k) {
  const acted = clauses.length > 0;
  const head = wrap("h4", "", [make("b", "", k + 1), make("code", "", name)]);
  const did = acted ? clauses.map((clause) => wrap("p", "", sentence(clause))) : [];
  return wrap("li", acted ? "phase acted" : "phase", [head, make("span", "whether", acted ? "● acted" : "○ passed by"), ...did]);
}

function stateRow({ field, before, after, changed }) {
  return wrap("tr", changed ? "changed" : "", [
    wrap("th", "", [make("code", "", field)], { scope: "row" }),
    wrap("td", "", [valueOf(before)]),
    wrap("td", "", [valueOf(after)]),
    make("td", "whether", changed ? "● changed" : ""),
  ]);
}

/** Texts in quotes, so that they are told from numbers and truth values. */
function valueOf(value) {
  if (value === "") return none("empty");
  return typeof value === "string" ? wrap("span", "quoted", [code(value)]) : make("b", "", `${value}`);
}
