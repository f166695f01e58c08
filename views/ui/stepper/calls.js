// The table of tool calls with their arguments so far. Rows are kept between deltas; only the last MOST_CALLS are shown.
import { callsAt } from "./model.js";
import { TextPane } from "./pane.js";
import { make } from "./dom.js";

const MOST_CALLS = 20;
const COLUMNS = ["#", "name", "arguments so far", "status"];

/** First call to show so that the current one is among them. */
export function firstCall(count, current) {
  const latest = Math.max(0, count - MOST_CALLS);
  return current < 0 ? latest : Math.min(latest, current);
}

export class CallTable {
  /** `onPick(call, offset)` is called for a click on an argument character. */
  constructor(host, onPick) {
    this.host = host;
    this.onPick = onPick;
    this.lines = new Map();
    this.empty = make("span", "none", "No call yet.");
    this.body = make("tbody");
    this.table = make("table");
    const head = make("tr");
    head.append(...COLUMNS.map((name) => make("th", "", name, { scope: "col" })));
    const top = make("thead");
    top.append(head);
    this.table.append(top, this.body);
    host.replaceChildren(this.empty, this.table);
  }

  load() {
    this.lines.clear();
    this.body.replaceChildren();
  }

  show(trace, position, outs, most) {
    const all = callsAt(trace, position);
    const current = trace.steps.call[position];
    const from = firstCall(all.length, current);
    const calls = all.slice(from, from + MOST_CALLS);
    this.empty.hidden = all.length > 0;
    this.table.hidden = all.length === 0;
    const lines = calls.map((call) => this.line(call.index));
    const same = lines.length === this.body.children.length && lines.every((line, k) => line.row === this.body.children[k]);
    if (!same) this.body.replaceChildren(...lines.map((line) => line.row));
    calls.forEach((call, k) => this.fill(lines[k], call, call.index === current, outs, most));
    const active = calls.findIndex((call) => call.index === current);
    if (active >= 0 && calls[active].length > calls[active].fresh) this.reveal(lines[active].row);
  }

  /** Scroll so that the end of the growing row is seen. */
  reveal(row) {
    this.host.scrollTop = row.offsetTop + row.offsetHeight - this.host.clientHeight;
  }

  line(index) {
    if (!this.lines.has(index)) {
      const cells = COLUMNS.map(() => make("td"));
      const row = make("tr");
      row.append(...cells);
      const box = make("div", "pane");
      cells[2].append(box);
      this.lines.set(index, { row, cells, pane: new TextPane(box, (offset) => this.onPick(index, offset)) });
    }
    return this.lines.get(index);
  }

  fill({ row, cells, pane }, call, isCurrent, outs, most) {
    const look = `${isCurrent}|${call.isNew}|${call.status}|${call.name}`;
    if (look !== row.dataset.look) {
      row.dataset.look = look;
      row.className = isCurrent ? "current" : "";
      cells[0].textContent = call.index;
      const name = make(call.isNew ? "mark" : "span", call.isNew ? "fresh" : "", call.name);
      cells[1].replaceChildren(name, make("span", "id", call.id, { title: call.id }));
      cells[3].replaceChildren(make("span", `status ${call.status}`, call.status));
    }
    const lit = outs.filter((out) => out.field === "call" && out.call === call.index).map((out) => out.out);
    pane.show(`call ${call.index}`, call.text, call.fresh, lit, "nothing yet", most);
  }
}
