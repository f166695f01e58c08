// Which key does what, and when a key belongs to something else on the page.

const KEYS = {
  ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play", "Shift ArrowLeft": "jump-back",
  "Shift ArrowRight": "jump-next", ",": "token-back", ".": "token-next", "/": "find", Escape: "clear",
};
const TYPING = "input:not([type=checkbox], [type=radio], [type=button], [type=range]), textarea, select, [contenteditable=true]";
const OWN_KEYS = "[role=slider], [role=tab], [role=combobox], [role=listbox]:not([data-steps]), [role=menu], [role=radio]";

/** The action of a pressed key; undefined when it has none or belongs to what has the focus. */
export function actionOf(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || belongsElsewhere(event)) return undefined;
  return KEYS[`${event.shiftKey ? "Shift " : ""}${event.key}`];
}

/** A text box or list keeps its keys; a button reached by keyboard keeps Space. Other inputs, say a checkbox, do not. */
function belongsElsewhere(event) {
  const target = event.composedPath()[0];
  if (!(target instanceof Element)) return false;
  if (target.matches(`${TYPING}, ${OWN_KEYS}`)) return true;
  return event.key === " " && target.matches("button:focus-visible, a, summary, [type=checkbox]");
}
