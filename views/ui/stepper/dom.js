// Elements made of plain data. Text is only ever set as text: model output is hostile, and here is no way to markup.
import { splitCode, visible } from "./model.js";

/** Make an element with class names, text and attributes. Text is set as text, never as markup. */
export function make(tag, classes, text, attributes = {}) {
  const element = document.createElement(tag);
  if (classes) element.className = classes;
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** Make an element around others. */
export function wrap(tag, classes, children, attributes) {
  const element = make(tag, classes, undefined, attributes);
  element.append(...children);
  return element;
}

export const code = (text, classes = "") => make("code", classes, visible(text));
export const none = (text = "nothing") => make("span", "none", text);
export const orNone = (list, empty) => (list.length ? list : [none(empty)]);
export const ruleChip = (rule) => make("span", "chip rule-id", rule);

/** The nodes of a sentence with `code` in it; the number of a rule, as P-40, stays on one line. */
export function sentence(text) {
  return splitCode(text).flatMap(([part, isCode]) => (isCode ? [code(part)] : unbroken(part)));
}

function unbroken(text) {
  return text.split(/\b([A-Z]-\d+[A-Z]?)\b/).map((part, k) => (k % 2 ? make("span", "unbroken", part) : part));
}
