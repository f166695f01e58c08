// What the whole run came to: the verdict above the steps, the laws below them. Drawn once a trace.
import { make } from "./dom.js";
import { verdict } from "./model.js";

const VERDICT_ICONS = { ok: "check_circle", warned: "warning", broken: "error" };

export function drawVerdict(host, trace) {
  const { state, parts } = verdict(trace);
  host.className = `verdict ${state}`;
  host.replaceChildren(make("i", "", VERDICT_ICONS[state], { "aria-hidden": "true" }), ...parts.map((part) => make("span", "", part)));
}

export function drawLaws(host, trace) {
  host.replaceChildren(...trace.laws.map(lawBadge));
}

function lawBadge({ law, ok, detail }) {
  const badge = make("span", ok ? "law ok" : "law broken", undefined, { role: "listitem", title: detail || (ok ? "holds" : "broken") });
  badge.append(make("i", "", ok ? "check_circle" : "error", { "aria-hidden": "true" }), law);
  if (!ok) badge.append(make("span", "detail", detail ? ` broken: ${detail}` : " broken"));
  return badge;
}
