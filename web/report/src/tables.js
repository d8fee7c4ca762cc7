/** Tables that sort by a click on a column's head. */

import { element } from "./dom.js";

/**
 * A table.
 *
 * @param columns each with `key`, `head`, `value(row)` to sort by (null goes last), and `show(row)`: text or element;
 *     `number` aligns it right and sorts it downwards first
 * @param rows what the functions get
 * @param pick called with the row that was chosen, by pointer or keyboard; null where rows cannot be chosen
 * @param sortedBy called with the column by which the rows are sorted now, and whether it is downwards
 * @returns {{table: HTMLElement, filter: (keep: (row) => boolean) => void, lineOf: (row) => HTMLElement, choose: (row) => void}}
 */
export function sortable(columns, rows, pick = null, sortedBy = () => {}) {
  const drawn = rows.map((row) => ({ row, line: lineOf(columns, row, pick) }));
  const lines = new Map(drawn.map(({ row, line }) => [row, line]));
  const body = element("tbody", {}, ...drawn.map(({ line }) => line));
  const heads = columns.map((column) => headOf(column));
  const state = { column: null, down: false };
  heads.forEach((head, at) => {
    head.firstChild.addEventListener("click", () => {
      state.down = state.column === columns[at] ? !state.down : Boolean(columns[at].number);
      state.column = columns[at];
      heads.forEach((each) => each.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      body.append(...sorted(drawn, state).map(({ line }) => line));
      sortedBy(state.column, state.down);
    });
  });
  const table = element("table", { class: "cards" }, element("thead", {}, element("tr", {}, ...heads)), body);
  return {
    table,
    filter: (keep) => drawn.forEach(({ row, line }) => (line.hidden = !keep(row))),
    lineOf: (row) => lines.get(row),
    choose: (row) => drawn.forEach((each) => each.line.classList.toggle("chosen", each.row === row)),
  };
}

function headOf({ key, head, title, number }) {
  const button = element("button", { type: "button", title }, head);
  return element("th", { scope: "col", "data-key": key, "aria-sort": "none", class: number ? "number" : null }, button);
}

function lineOf(columns, row, pick) {
  const title = columns.find(({ number }) => !number); // of the card that a row is on a narrow screen
  const cells = columns.map((column) => {
    const { key, head, show, number } = column;
    return element("td", { "data-key": key, "data-head": head, class: column === title ? "title" : number && "number" }, show(row));
  });
  const line = element("tr", pick ? { class: "pick", tabindex: 0 } : {}, ...cells);
  if (pick) {
    line.addEventListener("click", () => pick(row));
    line.addEventListener("keydown", (event) => {
      if (event.target !== line || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault(); // the space bar would scroll
      pick(row);
    });
  }
  return line;
}

function sorted(drawn, { column, down }) {
  const order = (a, b) => {
    const [x, y] = [column.value(a.row), column.value(b.row)];
    if (x === null || y === null) return (x === null) - (y === null);
    const found = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
    return down ? -found : found;
  };
  return [...drawn].sort(order);
}
