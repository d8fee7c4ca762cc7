/** The tables of a report: nodes, subgraphs, what stays on the CPU, what would help, plans that were measured. */

import { beginning, bytes, element, microseconds, named, plural, whole } from "./dom.js";
import { hueOf } from "./theme.js";
import { sortable } from "./tables.js";
import { sourcesOf } from "./labels.js";

const text = (key, head, get, show = get) => ({ key, head, value: get, show });
const number = (key, head, get, show, title) => ({ key, head, value: get, show, title, number: true });
const orNull = (value) => value ?? null;
const percent = (value) => (orNull(value) === null ? "" : `${value > 0 ? "+" : ""}${value.toFixed(0)} %`);

const LONGEST = 300; // characters of a reason in a table; the details have all of it

const codeOf = ({ code, reason }) => (code ? element("b", { class: "code", title: beginning(reason, LONGEST) }, code) : "");

const swatch = (region) =>
  element("span", { class: "swatch", style: region ? `--hue: ${hueOf(region.index)}` : null, "data-cpu": !region });

function place(node) {
  return element("span", { class: "place" }, swatch(node.region), named(node.record.subgraph ?? node.record.device));
}

function why({ code, reason }) {
  if (!code) return "";
  const short = beginning(reason, LONGEST);
  return element("span", { title: short }, element("b", { class: "code" }, code), " ", short);
}

const graphOf = ({ record }) => record.graph || "main";
const graphColumn = text("graph", "graph", graphOf, (thing) => named(graphOf(thing)));
const delegateOf = ({ record }) => record.delegate;
const delegateColumn = text("delegate", "delegate", delegateOf, (region) => named(delegateOf(region)));

/**
 * Nodes, with the layers that they are in as rows of their own.
 *
 * @param rows nodes and layers in the order of a tree
 * @param figures what nodes can be colored by, each with `key`, `head`, `title`, `of(thing)` and `show(figure)`
 * @param toggle called with a layer that is to be folded, or unfolded
 * @param sorted called with the column by which the rows are sorted, and whether it is downwards
 */
export function nodesTable(rows, several, figures, { pick, toggle, sorted }) {
  const places = new Map(rows.map((row, at) => [row, at]));
  const nodes = rows.filter((row) => row.kind === "node");
  const columns = [
    number("index", "#", (r) => places.get(r), (r) => (r.kind === "node" ? whole(r.index) : "")),
    ...(several ? [text("graph", "graph", graphNameOf, (r) => named(graphNameOf(r)))] : []),
    text("name", "node", (r) => r.path ?? r.label.name, (r) => nodeName(r, toggle)),
    text("type", "type", (r) => r.label?.type ?? null, (r) => (r.label ? named(r.label.type) : plural(r.members.length, "node"))),
    text("place", "runs on", (r) => r.record?.subgraph ?? r.record?.device ?? null, (r) => (r.record ? place(r) : placesOf(r))),
  ];
  for (const { key, head, title, of, show } of figures) {
    columns.push(number(key, head, of, (r) => (of(r) === null ? "" : show(of(r))), title));
  }
  const reason = (r) => (r.record?.code ? `${r.record.code} ${r.record.reason}` : null);
  if (nodes.some(reason)) columns.push(text("why", "why not", reason, (r) => (r.record ? codeOf(r.record) : "")));
  return sortable(columns, rows, pick, sorted);
}

const graphNameOf = ({ record, graph }) => record?.graph || graph?.name || "main";

/** A name as deep as its layers are; the part that a layer above it says is soft. */
function nodeName(row, toggle) {
  const name = row.path ?? row.label.name;
  const above = row.layers.at(-1)?.path ?? "";
  const known = above && name.startsWith(`${above}/`) ? above.length + 1 : 0;
  const parts = [known ? element("span", { class: "soft" }, named(name.slice(0, known))) : null, named(name.slice(known))];
  const style = row.layers.length ? `--depth: ${row.layers.length}` : null;
  if (row.kind === "node") return element("span", { class: "leaf", style }, ...parts);
  const button = element("button", { type: "button", class: "fold", style, "aria-expanded": "true" }, ...parts);
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    toggle(row);
  });
  return button;
}

/** A swatch for each place in which nodes of a layer run. */
function placesOf({ members }) {
  const names = new Map(members.map((node) => [node.record.subgraph ?? node.record.device, node]));
  if (names.size === 1) return place(members[0]);
  const swatches = [...names].map(([name, { region }]) => element("span", { title: name }, swatch(region)));
  return element("span", {}, ...swatches, `${names.size} places`);
}

export function subgraphsTable(regions, several, pick) {
  const delegates = new Set(regions.map((r) => r.record.delegate));
  const columns = [
    text("name", "subgraph", (r) => r.record.name, (r) => element("span", { class: "place" }, swatch(r), named(r.record.name))),
    ...(several ? [graphColumn] : []),
    ...(delegates.size > 1 ? [delegateColumn] : []),
    number("kernels", "kernels", (r) => r.record.kernels.length, (r) => whole(r.record.kernels.length)),
    number("takes", "takes", (r) => r.record.inputs.length, (r) => whole(r.record.inputs.length), "tensors"),
    number("gives", "gives", (r) => r.record.outputs.length, (r) => whole(r.record.outputs.length), "tensors"),
    number("bytes", "boundary", (r) => r.record.boundary_bytes, (r) => bytes(r.record.boundary_bytes)),
  ];
  const time = (key, head, get, title) => {
    const shown = (r) => (get(r) === null ? "" : microseconds(get(r)));
    if (regions.some((r) => get(r) !== null)) columns.push(number(key, head, get, shown, title));
  };
  time("estimated", "estimated", (r) => orNull(r.record.estimated_us), "not measured");
  time("saved", "saves", (r) => orNull(r.record.saved_us), "against the CPU, by the times that placement worked with");
  if (regions.some((r) => r.record.status !== "ok")) columns.push(text("status", "status", (r) => r.record.status));
  return sortable(columns, regions, pick);
}

/** A row for each type and reason; choosing one lights up its nodes. */
export function refusedTable(nodes, pick) {
  const rows = new Map();
  for (const node of nodes.filter((n) => n.record.subgraph === null)) {
    const { code, reason, hint } = node.record;
    const type = sourcesOf(node.record)[0]?.type ?? node.record.type;
    const key = JSON.stringify([type, code, reason]);
    if (!rows.has(key)) rows.set(key, { type, code, reason, hint: hint ?? "", nodes: [] });
    rows.get(key).nodes.push(node);
  }
  const columns = [
    number("count", "nodes", (r) => r.nodes.length, (r) => whole(r.nodes.length)),
    text("type", "type", (r) => r.type, (r) => named(r.type)),
    text("why", "why not", (r) => (r.code ? `${r.code} ${r.reason}` : null), why),
    text("hint", "what can be done", (r) => r.hint || null, (r) => r.hint),
  ];
  const ordered = [...rows.values()].sort((a, b) => b.nodes.length - a.nodes.length);
  return sortable(columns, ordered, pick);
}

/** What would help most, the most rewarding first; `said` are the file's names of nodes by their own. */
export function whatIfTable(rows, said, pick) {
  const shown = distinct(rows).map((row) => (row.kind === "node" ? { ...row, subject: said(row.name) } : row));
  const codes = (r) => Object.entries(r.codes).map(([code, count]) => `${code} ${whole(count)}`).join(", ");
  const subgraphs = (r) => `${r.subgraphs_before} → ${r.subgraphs_after}`;
  const columns = [
    text("subject", "if supported", labelOf, supposed),
    number("nodes", "nodes", (r) => r.nodes.length, (r) => whole(r.nodes.length)),
    number("subgraphs", "subgraphs", (r) => r.subgraphs_before - r.subgraphs_after, subgraphs),
    number("kernels_delta", "delegated", (r) => r.kernels_delta, (r) => signed(r.kernels_delta)),
    number("bytes_delta_percent", "boundary", (r) => r.bytes_after - r.bytes_before, bytesChange, "bytes"),
  ];
  if (shown.some((r) => r.time_delta_percent !== null)) {
    const change = (r) => orNull(r.time_delta_percent);
    columns.push(number("time_delta_percent", "est. time", change, (r) => percent(change(r)), "not measured"));
  }
  if (new Set(shown.map((r) => r.delegate)).size > 1) columns.push(text("delegate", "delegate", (r) => r.delegate));
  return sortable([...columns, text("codes", "why not", codes)], shown, pick);
}

const PREFERENCE = { rule: 0, operator: 1, dtype: 2, node: 4, set: 5 }; // of rows with the same nodes
const isSaid = (row) => row.kind !== "rule" || !(row.subject in row.codes);

/** One row of those with the same nodes: the rule before the operator, single nodes last. */
function distinct(rows) {
  const keyOf = (row) => JSON.stringify([row.delegate, [...row.nodes].sort()]);
  const rank = (row) => (isSaid(row) ? PREFERENCE[row.kind] : 3);
  const chosen = new Map();
  for (const row of [...rows].sort((a, b) => rank(a) - rank(b))) {
    if (!chosen.has(keyOf(row))) chosen.set(keyOf(row), row);
  }
  return rows.filter((row) => row.kind === "set" || chosen.get(keyOf(row)) === row);
}

/** What is supposed to be supported, in words; of a rule that the delegate does not say, the code. */
function labelOf(row) {
  if (row.parts?.length) return row.parts.map((part) => labelOf({ codes: row.codes, parts: [], ...part })).join(" + ");
  if (!isSaid(row)) return `all with code ${row.subject}`;
  if (row.kind === "rule") return `beyond '${row.subject}'`;
  return row.kind === "dtype" ? `element type ${row.subject}` : row.label || row.subject || row.operator;
}

function supposed(row) {
  const label = labelOf(row);
  if (row.kind === "node") return element("span", {}, named(label), element("div", { class: "soft" }, named(row.operator)));
  return named(label);
}

/** The plans among which the fastest was looked for; columns that no plan has anything in are left out. */
export function plansTable(plans) {
  const times = [
    ["measured", "measured", "measured_us", "the shortest prediction"],
    ["spread", "scatters", "spread_us", "by how much the shortest of a few in a row is usually longer"],
    ["again", "once more", "again_us", "measured once more, beside the other one of the two best"],
    ["estimated", "by pieces", "estimated_us", "what it was reckoned to take, not measured"],
  ];
  const columns = [text("plan", "plan", (p) => p.plan, planOf)];
  for (const [key, head, from, title] of times) {
    const get = (p) => orNull(p[from]);
    const shown = (p) => (get(p) === null ? "" : microseconds(get(p)));
    if (plans.some((p) => get(p) !== null)) columns.push(number(key, head, get, shown, title));
  }
  const reason = (p) => p.reason || null;
  if (plans.some(reason)) columns.push(text("reason", "why not", reason, (p) => beginning(p.reason, LONGEST)));
  return sortable(columns, plans);
}

const planOf = ({ plan, chosen }) => (chosen ? element("b", { title: "the one that stayed" }, `${plan} ✓`) : plan);

const signed = (value) => `${value > 0 ? "+" : ""}${whole(value)}`;
const bytesChange = (row) =>
  row.bytes_delta_percent === null ? `+${bytes(row.bytes_after)}` : percent(row.bytes_delta_percent);
