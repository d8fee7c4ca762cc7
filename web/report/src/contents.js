/** The tables of a report: nodes, subgraphs, what stays on the CPU, what would help. */

import { bytes, element, microseconds, plural, shorten, whole } from "./dom.js";
import { hueOf } from "./theme.js";
import { sortable } from "./tables.js";

const text = (key, head, get, show = get) => ({ key, head, value: get, show });
const number = (key, head, get, show, title) => ({ key, head, value: get, show, title, number: true });
const orNull = (value) => value ?? null;
const percent = (value) => (orNull(value) === null ? "" : `${value > 0 ? "+" : ""}${value.toFixed(0)} %`);

/** A name, with its end to be seen where it is long and all of it under the pointer. */
const named = (name) => element("span", { title: name }, shorten(name, 30));

const swatch = (region) =>
  element("span", { class: "swatch", style: region ? `--hue: ${hueOf(region.index)}` : null, "data-cpu": !region });

function place(node) {
  return element("span", { class: "place" }, swatch(node.region), node.record.subgraph ?? node.record.device);
}

function why({ code, reason }) {
  return code ? element("span", {}, element("b", { class: "code" }, code), " ", reason) : "";
}

export function nodesTable(nodes, several, pick) {
  const columns = [
    number("index", "#", (n) => n.index, (n) => whole(n.index)),
    ...(several ? [text("graph", "graph", (n) => n.record.graph || "main")] : []),
    text("name", "node", (n) => n.record.name, (n) => named(n.record.name)),
    text("type", "type", (n) => n.record.type),
    text("place", "runs on", (n) => n.record.subgraph ?? n.record.device, place),
    text("why", "why not", (n) => (n.record.code ? `${n.record.code} ${n.record.reason}` : null), (n) => why(n.record)),
  ];
  return sortable(columns, nodes, pick);
}

export function subgraphsTable(regions, several, pick) {
  const estimated = regions.some((r) => orNull(r.record.estimated_us) !== null);
  const columns = [
    text("name", "subgraph", (r) => r.record.name, (r) => element("span", {}, swatch(r), r.record.name)),
    ...(several ? [text("graph", "graph", (r) => r.record.graph || "main")] : []),
    number("kernels", "kernels", (r) => r.record.kernels.length, (r) => whole(r.record.kernels.length)),
    number("takes", "takes", (r) => r.record.inputs.length, (r) => whole(r.record.inputs.length), "tensors"),
    number("gives", "gives", (r) => r.record.outputs.length, (r) => whole(r.record.outputs.length), "tensors"),
    number("bytes", "boundary", (r) => r.record.boundary_bytes, (r) => bytes(r.record.boundary_bytes)),
  ];
  if (estimated) {
    const shown = (r) => (orNull(r.record.estimated_us) === null ? "" : microseconds(r.record.estimated_us));
    columns.push(number("estimated", "estimated", (r) => orNull(r.record.estimated_us), shown, "not measured"));
  }
  if (regions.some((r) => r.record.status !== "ok")) columns.push(text("status", "status", (r) => r.record.status));
  return sortable(columns, regions, pick);
}

/** A row for each type and reason; choosing one lights up its nodes. */
export function refusedTable(nodes, pick) {
  const rows = new Map();
  for (const node of nodes.filter((n) => n.record.subgraph === null)) {
    const { type, code, reason, hint } = node.record;
    const key = JSON.stringify([type, code, reason]);
    if (!rows.has(key)) rows.set(key, { type, code, reason, hint: hint ?? "", nodes: [] });
    rows.get(key).nodes.push(node);
  }
  const columns = [
    number("count", "nodes", (r) => r.nodes.length, (r) => whole(r.nodes.length)),
    text("type", "type", (r) => r.type),
    text("why", "why not", (r) => (r.code ? `${r.code} ${r.reason}` : null), why),
    text("hint", "what can be done", (r) => r.hint || null, (r) => r.hint),
  ];
  const ordered = [...rows.values()].sort((a, b) => b.nodes.length - a.nodes.length);
  return sortable(columns, ordered, pick);
}

/** What would help most; rows are as the report has them. */
export function whatIfTable(rows, pick) {
  const counted = (nodes) => (nodes.length === 1 ? nodes[0] : plural(nodes.length, "node"));
  const subject = (r) => r.name || r.operator || counted(r.nodes ?? []);
  const shown = (r) => element("span", { title: (r.nodes ?? []).join("\n") }, subject(r));
  const change = (key, head, title) => number(key, head, (r) => orNull(r[key]), (r) => percent(r[key]), title);
  const subgraphs = (r) => `${r.subgraphs_before} → ${r.subgraphs_after}`;
  const columns = [
    text("subject", "if supported", subject, shown),
    number("subgraphs", "subgraphs", (r) => r.subgraphs_before - r.subgraphs_after, subgraphs),
    number("kernels_delta", "delegated", (r) => orNull(r.kernels_delta), (r) => signed(r.kernels_delta)),
    change("bytes_delta_percent", "boundary bytes"),
    change("time_delta_percent", "estimated time", "not measured"),
  ];
  return sortable(columns, rows, pick);
}

const signed = (value) => (orNull(value) === null ? "" : `${value > 0 ? "+" : ""}${whole(value)}`);
