// The state graph: states on one line, forward arcs above, backward arcs below, loops on top. Rows between the same two
// states share an arc. `layoutGraph` is pure; `StateGraph` draws it once and then only toggles classes.

import { before } from "./model.js";

const NODE_GAP = 8;
const NODE_HEIGHT = 34;
const MOST_NODE_WIDTH = 112;
const ARC_STEP = 13;
const ARC_LEAST = 16;
const MARGIN = 4;
const LEAST_TEXT = 7.5;
const SVG = "http://www.w3.org/2000/svg";

/** Group rows by (from, to); each group is one arc. */
export function mergeRows(rows) {
  const arcs = new Map();
  rows.forEach((row, index) => {
    const key = `${row.from}>${row.to}`;
    if (!arcs.has(key)) arcs.set(key, { from: row.from, to: row.to, rows: [] });
    arcs.get(key).rows.push(index);
  });
  return [...arcs.values()];
}

/** Give each arc of one side a lane: 0 is nearest to the line; arcs whose spans overlap get different lanes. */
export function laneArcs(arcs) {
  const lanes = [];
  const bySpan = [...arcs].sort((a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from));
  for (const arc of bySpan) {
    const low = Math.min(arc.from, arc.to);
    const high = Math.max(arc.from, arc.to);
    let lane = lanes.findIndex((taken) => taken.every(([l, h]) => high <= l || low >= h));
    if (lane < 0) lane = lanes.push([]) - 1;
    lanes[lane].push([low, high]);
    arc.lane = lane;
  }
  return lanes.length;
}

/** Places of nodes and arcs in a picture `width` x `height` units. */
export function layoutGraph(states, rows, width, height) {
  const arcs = mergeRows(rows);
  const forward = arcs.filter((arc) => arc.to > arc.from);
  const backward = arcs.filter((arc) => arc.to < arc.from);
  const above = laneArcs(forward);
  const below = laneArcs(backward);
  const room = height - NODE_HEIGHT - 2 * MARGIN - 2 * ARC_LEAST;
  const step = Math.min(ARC_STEP, room / Math.max(1, above + below));
  const y = centre(height, above, below, step);
  const pitch = (width - 2 * MARGIN) / states.length;
  const nodeWidth = Math.min(MOST_NODE_WIDTH, pitch - NODE_GAP);
  const nodes = states.map((name, index) => ({
    name,
    lines: name.split("_").length > 1 && nodeWidth < 100 ? halves(name) : [name],
    x: MARGIN + pitch * (index + 0.5),
    y,
    width: nodeWidth,
  }));
  for (const arc of arcs) Object.assign(arc, arcShape(arc, nodes, y, step));
  return { nodes, arcs, nodeHeight: NODE_HEIGHT };
}

function centre(height, above, below, step) {
  const up = ARC_LEAST + above * step;
  const down = ARC_LEAST + below * step;
  return up + (height - up - down) / 2;
}

/** Break a name at the underscore nearest its middle. */
function halves(name) {
  const cuts = [...name.matchAll(/_/g)].map((match) => match.index);
  const best = cuts.reduce((a, b) => (Math.abs(b - name.length / 2) < Math.abs(a - name.length / 2) ? b : a));
  return [name.slice(0, best + 1), name.slice(best + 1)];
}

function arcShape(arc, nodes, y, step) {
  const from = nodes[arc.from];
  const to = nodes[arc.to];
  if (arc.from === arc.to) return loopShape(from, y);
  const side = arc.to > arc.from ? -1 : 1;
  const edge = y + (side * NODE_HEIGHT) / 2;
  const far = edge + side * (ARC_LEAST + arc.lane * step);
  // A forward arc leaves on the right half and arrives on the left half; wider arcs attach nearer the middle.
  const inset = from.width * (0.36 - 0.26 * (arc.lane / (arc.lane + 2)));
  const x1 = from.x - side * inset;
  const x2 = to.x + side * inset;
  const bend = Math.min(18, Math.abs(x2 - x1) / 2);
  const sign = Math.sign(x2 - x1);
  const path = `M${x1} ${edge} Q${x1} ${far} ${x1 + sign * bend} ${far} L${x2 - sign * bend} ${far} Q${x2} ${far} ${x2} ${edge}`;
  return { path, labelX: (x1 + x2) / 2, labelY: far, side };
}

function loopShape(node, y) {
  const edge = y - NODE_HEIGHT / 2;
  const path = `M${node.x - 9} ${edge} C${node.x - 15} ${edge - 19} ${node.x + 15} ${edge - 19} ${node.x + 9} ${edge}`;
  return { path, labelX: node.x, labelY: edge - 15, side: -1 };
}

/** One line of text about a row, for tooltips and lists. */
export function describeRow(states, row) {
  const events = row.events.length ? ` · ${row.events.join(", ")}` : "";
  return `${states[row.from]} —${row.terminal}→ ${states[row.to]}${events}${row.recovery ? " · recovery" : ""}`;
}

function svg(name, attributes, parent, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

/** Draws the graph of one trace into `host` and marks state and rows of a delta. */
export class StateGraph {
  constructor(host, trace) {
    this.host = host;
    this.trace = trace;
    this.shown = null;
    this.draw();
  }

  draw() {
    const { states, rows } = this.trace;
    const width = Math.max(320, this.host.clientWidth);
    const height = Math.max(120, this.host.clientHeight);
    const layout = layoutGraph(states, rows, width, height);
    const picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", `State graph of ${states.length} states and ${rows.length} rows`);
    this.addArrow(picture);
    this.arcs = layout.arcs.map((arc) => this.drawArc(picture, arc));
    this.nodes = layout.nodes.map((node) => this.drawNode(picture, node));
    this.labels = svg("g", { class: "arc-labels" }, picture);
    this.layout = layout;
    this.host.replaceChildren(picture);
    const shown = this.shown;
    this.shown = null;
    if (shown) this.show(shown.position, shown.lit);
  }

  addArrow(picture) {
    const marker = svg("marker", {
      id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto",
    }, svg("defs", {}, picture));
    svg("path", { d: "M0 0 L8 4 L0 8 z", fill: "context-stroke" }, marker);
  }

  drawArc(picture, arc) {
    const group = svg("g", { class: "arc" }, picture);
    svg("path", { d: arc.path, class: "reach" }, group);
    svg("path", { d: arc.path, class: "line", "marker-end": "url(#arrow)" }, group);
    const list = arc.rows.map((row) => describeRow(this.trace.states, this.trace.rows[row])).join("\n");
    svg("title", {}, group, list);
    return group;
  }

  drawNode(picture, node) {
    const group = svg("g", { class: "node" }, picture);
    const left = node.x - node.width / 2;
    svg("rect", { x: left, y: node.y - NODE_HEIGHT / 2, width: node.width, height: NODE_HEIGHT, rx: 7 }, group);
    const first = node.y + 3.5 - (node.lines.length - 1) * 5.5;
    const longest = Math.max(...node.lines.map((line) => line.length));
    const size = Math.max(LEAST_TEXT, Math.min(11, (node.width - 4) / (longest * 0.62)));
    node.lines.forEach((line, k) => svg("text", { x: node.x, y: first + 11 * k, "font-size": size }, group, line));
    svg("title", {}, group, node.name);
    return group;
  }

  /** Mark state and rows of delta `position`; `lit` is a row to point at, or -1. */
  show(position, lit) {
    const { steps, rows, firstTaken } = this.trace;
    const taken = steps.rows[position];
    const start = this.trace.states.indexOf(this.trace.meta.start);
    const came = new Set([before(steps.state, position, start), ...taken.flatMap((r) => [rows[r].from, rows[r].to])]);
    this.nodes.forEach((node, index) => {
      node.classList.toggle("now", index === steps.state[position]);
      node.classList.toggle("passed", came.has(index) && index !== steps.state[position]);
    });
    this.layout.arcs.forEach((arc, k) => {
      const { classList } = this.arcs[k];
      classList.toggle("taken", arc.rows.some((row) => taken.includes(row)));
      classList.toggle("visited", arc.rows.some((row) => firstTaken[row] <= position));
      classList.toggle("lit", arc.rows.includes(lit));
    });
    this.shown = { position, lit };
    this.label(taken, lit);
  }

  label(taken, lit) {
    this.labels.replaceChildren();
    for (const arc of this.layout.arcs) {
      const named = [...new Set(arc.rows.filter((row) => taken.includes(row) || row === lit))];
      if (!named.length) continue;
      const text = named.map((row) => this.trace.rows[row].terminal).join(", ");
      svg("text", { x: arc.labelX, y: arc.labelY + (arc.side > 0 ? 11 : -4) }, this.labels, text);
    }
  }
}
