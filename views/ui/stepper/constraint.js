// What limited the model's choice of each token: a lane over the whole stream with a sentence about the current token, and
// the panel that tells how the request was prepared. Kinds differ by pattern and letter as well as by colour.
import { printJson } from "./cards.js";
import { code, make, none, orNone, ruleChip, sentence, wrap } from "./dom.js";
import { deltaOf } from "./model.js";
import { FREEDOMS, LETTERS, freedomAt, freedomRuns, jsonOf, timelineOf } from "./served.js";

const MOST_RUNS = 300;
const MOST_SAID = 6;
const CONSTRAINT_COLUMNS = 110;
const MEANINGS = [
  "any token could come",
  "no token could come that ends thinking by a call",
  "only tokens that fit the grammar could come",
];

const badge = (freedom) => {
  const name = make("span", `freedom f-${FREEDOMS[freedom]}`, undefined, { title: MEANINGS[freedom] });
  name.append(make("b", "", LETTERS[freedom]), ` ${FREEDOMS[freedom]}`);
  return name;
};

const clause = ({ rule, why }) => [ruleChip(rule), wrap("span", "", sentence(why))];

/** The sentences about delta `i`'s tokens; more than one when the delta crosses a border. */
function freedomSentences(trace, i) {
  const runs = freedomAt(trace, i);
  const name = ({ start, end }) => (end - start === 1 ? `token ${start}` : `tokens ${start}–${end - 1}`);
  const lines = runs.slice(0, MOST_SAID).map((run) => wrap("span", "said", [badge(run.freedom), make("span", "none", name(run)), ...clause(run.sentence)]));
  if (runs.length > MOST_SAID) lines.push(none(`and ${runs.length - MOST_SAID} more`));
  return orNone(lines, "No token in this delta.");
}

/** The lane under the timeline and the sentence under the tokens; both hidden when nothing constrains the stream. */
export class ConstraintLane {
  constructor(root) {
    this.root = root;
    this.lane = root.querySelector("[data-show=freedom-lane]");
    this.said = root.querySelector("[data-show=freedom]");
  }

  load(trace) {
    this.trace = trace;
    this.line = timelineOf(trace);
    this.root.classList.toggle("constrained", Boolean(this.line));
    if (this.line) this.lane.replaceChildren(...this.segments());
  }

  segments() {
    const { freedom } = this.line;
    return freedomRuns(freedom, MOST_RUNS).map((run) => {
      const segment = badge(run.freedom);
      segment.style.flexGrow = run.end - run.start;
      return segment;
    });
  }

  show(position) {
    if (this.line) this.said.replaceChildren(...freedomSentences(this.trace, position));
  }
}

/** How the request was prepared, and where its grammar starts. */
export class ConstraintPanel {
  constructor(host) {
    this.host = host;
    this.note = "";
    this.part = (name) => host.querySelector(`[data-constraint=${name}]`);
  }

  load(trace) {
    this.trace = trace;
    if (!trace.serving) return false;
    const { prepared } = trace.serving;
    this.note = prepared.warnings.length ? `⚠ ${prepared.warnings.length}` : "";
    this.part("steps").replaceChildren(...stepList(prepared.steps));
    this.part("warnings").replaceChildren(...prepared.warnings.map(warningLine));
    this.drawConstraint(prepared.constraint);
    this.part("start").replaceChildren(...this.startSentence());
    this.part("legend").replaceChildren(...(timelineOf(trace) ? FREEDOMS.map(legendLine) : []));
    return true;
  }

  show(position) {
    const said = timelineOf(this.trace) ? freedomSentences(this.trace, position) : [none("Nothing constrains this stream: every token was free.")];
    this.part("now").replaceChildren(...said);
  }

  drawConstraint(constraint) {
    this.part("constraint").hidden = constraint === null;
    if (constraint === null) return;
    const json = jsonOf(constraint);
    const text = json === undefined ? constraint : printJson(json, CONSTRAINT_COLUMNS);
    this.part("json").textContent = text;
  }

  startSentence() {
    const timeline = timelineOf(this.trace);
    if (!timeline) return [];
    const { start } = timeline;
    if (start === null) return ["The grammar never starts in this stream."];
    const token = this.trace.tokens.text[start];
    if (token === undefined) return ["The grammar starts after the last token."];
    const go = make("button", "link", `delta ${deltaOf(this.trace, start) + 1}`, { type: "button", "data-seek": deltaOf(this.trace, start) });
    return [`The grammar starts with token ${start} `, code(token), " in ", go, "."];
  }
}

function stepList(steps) {
  return orNone(steps.map(({ rule, what }) => wrap("li", "", clause({ rule, why: what }))), "Nothing was decided: the request asks for no constraint.");
}

function warningLine(warning) {
  const icon = make("i", "", "warning", { "aria-hidden": "true" });
  return wrap("li", "warned", [icon, make("b", "", "Warning"), wrap("span", "", sentence(warning))]);
}

function legendLine(_, freedom) {
  return wrap("li", "", [badge(freedom), make("span", "none", MEANINGS[freedom])]);
}
