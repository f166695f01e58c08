// What the client receives: the lines of the response up to a delta, the chosen one in full, and why a delta sends none.
import { printJson } from "./cards.js";
import { make, none, sentence } from "./dom.js";
import { LineList } from "./lines.js";
import { jsonOf, linesOf, placeOf, sentBy, whyNothing } from "./served.js";

const WIRE_COLUMNS = 60;

export class WirePanel {
  constructor(host) {
    this.note = "";
    this.status = host.querySelector("[data-wire=status]");
    this.copied = host.querySelector("[data-wire=copied]");
    this.about = host.querySelector("[data-wire=about]");
    this.whole = host.querySelector("[data-wire=whole]");
    this.list = new LineList(host.querySelector("[data-wire=lines]"), (line) => this.place(line), (line) => this.read(line));
    host.querySelector("[data-wire=copy-line]").addEventListener("click", () => this.copy([this.line]));
    host.querySelector("[data-wire=copy-all]").addEventListener("click", () => this.copy(this.linesSoFar()));
  }

  /** Take a trace; returns whether there is anything to show. */
  load(trace) {
    this.trace = trace;
    if (!trace.serving) return false;
    this.list.load(trace.serving.lines);
    return true;
  }

  show(position) {
    this.position = position;
    const [first, last] = linesOf(this.trace, position);
    const chosen = last > first ? last - 1 : -1;
    this.list.show(sentBy(this.trace, position), [first, last], chosen);
    this.status.replaceChildren(...sentence(this.statusAt(position, last - first)));
    this.copied.textContent = "";
    this.read(chosen);
  }

  statusAt(position, sent) {
    const delta = `Delta ${position + 1}`;
    if (sent) return `${delta}: ${sent === 1 ? "1 line is" : `${sent} lines are`} sent.`;
    return `${delta}: nothing is sent for this delta. ${whyNothing(this.trace, position)}`;
  }

  place(line) {
    const place = placeOf(this.trace, line);
    return typeof place === "number" ? `${place + 1}` : place;
  }

  /** Show a line in full; -1 for none. */
  read(line) {
    this.line = line;
    if (line < 0) {
      this.about.textContent = "";
      return this.whole.replaceChildren(none("Choose a line to read all of it."));
    }
    const text = this.trace.serving.lines[line];
    const json = jsonOf(text);
    const place = placeOf(this.trace, line);
    this.about.textContent = `line ${line + 1} · ${typeof place === "number" ? `delta ${place + 1}` : place} · ${text.length} characters`;
    this.whole.replaceChildren(make("pre", "json", json === undefined ? text : `data: ${printJson(json, WIRE_COLUMNS)}`));
  }

  linesSoFar() {
    return Array.from({ length: sentBy(this.trace, this.position) }, (_, line) => line);
  }

  /** Copy lines as they were on the wire: an empty line ends each event. */
  async copy(numbers) {
    const lines = numbers.filter((line) => line >= 0).map((line) => this.trace.serving.lines[line]);
    this.copied.textContent = lines.length ? await copyText(lines.map((line) => `${line}\n\n`).join(""), lines.length) : "No line is chosen.";
  }
}

/** Put text on the clipboard; returns what to tell the reader. */
async function copyText(text, lines) {
  try {
    await navigator.clipboard.writeText(text);
    return lines === 1 ? "Copied 1 line." : `Copied ${lines} lines.`;
  } catch {
    return "The browser does not let this page copy.";
  }
}
