// The tabs below the stepper. A panel is drawn only while its tab is chosen, so the others cost a step nothing; a tab whose
// panel has nothing to show in this trace is hidden.
import { AuditPanel } from "./audit.js";
import { ConstraintPanel } from "./constraint.js";
import { DelegatingPanel } from "./delegating.js";
import { WirePanel } from "./wire.js";

const KINDS_OF_PANELS = { wire: WirePanel, constraint: ConstraintPanel, audit: AuditPanel, delegating: DelegatingPanel };
const REMEMBERED = "parserscope.panel";
const TAB_KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

export class Panels {
  /** `seek(position)` is called for a link to a delta. */
  constructor(root, seek) {
    this.root = root;
    this.tabs = [...root.querySelectorAll("[role=tab]")];
    this.panels = Object.fromEntries(this.tabs.map(({ dataset: { panel } }) => [panel, new KINDS_OF_PANELS[panel](this.hostOf(panel))]));
    this.chosen = sessionStorage.getItem(REMEMBERED);
    root.querySelector("[role=tablist]").addEventListener("keydown", (event) => this.pressed(event));
    for (const tab of this.tabs) tab.addEventListener("click", () => this.clicked(tab));
    root.addEventListener("click", ({ target }) => target.dataset.seek && seek(Number(target.dataset.seek)));
  }

  hostOf(name) {
    return this.root.querySelector(`#panel-${name}`);
  }

  get shownTabs() {
    return this.tabs.filter((tab) => !tab.hidden);
  }

  offers(name) {
    return this.shownTabs.some((tab) => tab.dataset.panel === name);
  }

  load(trace) {
    for (const tab of this.tabs) {
      const panel = this.panels[tab.dataset.panel];
      tab.hidden = !panel.load(trace);
      tab.querySelector("small").textContent = panel.note ?? "";
    }
    this.root.hidden = this.shownTabs.length === 0;
    this.drawn = "";
    if (!this.root.hidden) this.mark((this.shownTabs.find((tab) => tab.dataset.panel === this.chosen) ?? this.shownTabs[0]).dataset.panel);
  }

  /** Draw the chosen panel for delta `position`; what stands there already is left alone, with what is chosen in it. */
  show(position) {
    this.position = position;
    const wanted = `${this.chosen} ${position}`;
    if (this.root.hidden || this.drawn === wanted) return;
    this.drawn = wanted;
    this.panels[this.chosen].show(position);
  }

  /** Choose a tab for the reader, who finds it again after a change of page. */
  choose(name) {
    this.mark(name);
    sessionStorage.setItem(REMEMBERED, name);
    this.show(this.position);
  }

  mark(name) {
    this.chosen = name;
    for (const tab of this.tabs) {
      const isChosen = tab.dataset.panel === name;
      tab.setAttribute("aria-selected", isChosen);
      tab.tabIndex = isChosen ? 0 : -1;
      this.hostOf(tab.dataset.panel).hidden = !isChosen;
    }
  }

  /** Choose a tab and bring it into view. */
  reveal(name) {
    this.choose(name);
    this.root.scrollIntoView({ block: "start" });
  }

  /** A tab clicked with the mouse gives the arrow keys back to the steps. */
  clicked(tab) {
    this.choose(tab.dataset.panel);
    if (!tab.matches(":focus-visible")) tab.blur();
  }

  pressed(event) {
    const move = TAB_KEYS[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const tabs = this.shownTabs;
    const at = tabs.findIndex((tab) => tab.dataset.panel === this.chosen) + move;
    const tab = Number.isFinite(move) ? tabs.at(at % tabs.length) : tabs.at(move < 0 ? 0 : -1);
    this.choose(tab.dataset.panel);
    tab.focus();
  }
}
