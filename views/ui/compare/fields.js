// The table of fields: a line for each field, a cell for each column, what differs marked. Texts are text nodes only.

function make(tag, classes, text) {
  const element = document.createElement(tag);
  if (classes) element.className = classes;
  if (text !== undefined) element.textContent = text;
  return element;
}

function drawCell(pieces) {
  const box = make("div");
  for (const [kind, text] of pieces) box.append(make(kind === "differs" ? "mark" : "span", kind, text));
  if (!pieces.length) box.append(make("span", "absent", "—"));
  const cell = make("td");
  cell.append(box);
  return cell;
}

function drawRow({ name, same, cells }) {
  const row = make("tr", same ? "same" : "different");
  const heading = make("th", "", name);
  heading.scope = "row";
  heading.append(make("small", "", same ? "same" : "≠ differs"));
  row.append(heading, ...cells.map(drawCell));
  return row;
}

function drawHead(headings) {
  const row = make("tr");
  row.append(make("th", "", "Field"), ...headings.map((heading) => make("th", "", heading)));
  const head = make("thead");
  head.append(row);
  return head;
}

export default function mount({ data, parentElement }) {
  const body = make("tbody");
  body.append(...data.rows.map(drawRow));
  const table = make("table");
  table.append(drawHead(data.headings), body);
  parentElement.querySelector(".fields").replaceChildren(table);
}
