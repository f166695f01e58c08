// A table of texts: a line has a heading, a note below it and a cell for each column; what differs is marked. Texts are
// text nodes only.

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

function drawRow({ name, note, kind, cells }) {
  const row = make("tr", kind);
  const heading = make("th", "", name);
  heading.scope = "row";
  if (note) heading.append(make("small", "", note));
  row.append(heading, ...cells.map(drawCell));
  return row;
}

function drawHead(headings) {
  const row = make("tr");
  row.append(...headings.map((heading) => make("th", "", heading)));
  const head = make("thead");
  head.append(row);
  return head;
}

export default function mount({ data, parentElement }) {
  const body = make("tbody");
  body.append(...data.rows.map(drawRow));
  const table = make("table", data.look);
  table.append(drawHead(data.headings), body);
  parentElement.querySelector(".fields").replaceChildren(table);
}
