/** What is known of the thing that was clicked: a node, a subgraph, an edge, an input or output. */

import { bytes, element, microseconds, named, plural, shape, whole } from "./dom.js";
import { sourceText, sourcesOf } from "./labels.js";

/** Fills the panel; `crossing` are the tensors at boundaries, `error` tells the error of a node, null for nothing. */
export function details(panel, thing, crossing, error) {
  panel.replaceChildren(...(thing ? CONTENT[thing.kind](thing, crossing, error) : [nothing()]));
  panel.scrollTop = 0;
}

const INVITATION = "Click a node, a subgraph or a tensor in the drawing, or a row of a table.";
const nothing = () => element("p", { class: "soft" }, INVITATION);

const CONTENT = { layer: ofLayer, node: ofNode, region: ofRegion, edge: ofEdge, input: ofPill, output: ofPill };

function head(title, kind, ...more) {
  return element("header", {}, element("p", { class: "soft" }, kind), element("h2", {}, title ? named(title) : "(no name)"), ...more);
}

function facts(...pairs) {
  const rows = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, named(String(value)))]));
}

function ofNode({ record, label }, crossing, error) {
  const refused = record.code
    ? element(
        "div",
        { class: "refused" },
        element("p", { class: "reason" }, element("b", { class: "code" }, record.code), " ", record.reason),
        record.hint ? element("p", { class: "hint" }, element("b", {}, "What can be done: "), record.hint) : null,
      )
    : null;
  const place = facts(["runs on", record.device], ["subgraph", record.subgraph], ["graph", record.graph], ["own error", error]);
  return [
    head(label.name, label.type),
    place,
    ...(refused ? [refused] : []),
    ...tensors("takes", record.inputs, crossing),
    ...tensors("gives", record.outputs, crossing),
    ...attributes(record.attributes ?? {}),
    ...inTheFile(record, label),
  ];
}

/** All that a node was in the model's file, and what it is called here, where that is not all said above. */
function inTheFile(record, label) {
  const lines = sourcesOf(record).map(sourceText);
  const isOther = label.name !== record.name || label.type !== record.type;
  const own = isOther ? [element("h3", {}, "imported as"), element("p", {}, `${record.name} (${record.type})`)] : [];
  if (!lines.length || (lines.length === 1 && lines[0] === `${label.name} (${label.type})`)) return own;
  const list = element("ul", { class: "names" }, ...lines.map((line) => element("li", {}, named(line))));
  return [element("h3", {}, "in the file"), list, ...own];
}

/** A layer, or the part of it that is one vertex of the drawing. */
function ofLayer({ layer, path = layer?.path, members }) {
  const places = new Map();
  for (const { record } of members) places.set(record.subgraph ?? record.device, (places.get(record.subgraph ?? record.device) ?? 0) + 1);
  const told = [...places].map(([name, count]) => [name, plural(count, "node")]);
  const names = members.map(({ label }) => element("li", {}, named(label.name)));
  return [head(path, "layer"), facts(["nodes", whole(members.length)], ...told), element("h3", {}, "nodes"), element("ul", { class: "names" }, ...names)];
}

function ofRegion({ record, members }, crossing) {
  const time = record.estimated_us ?? null;
  const status = record.status === "ok" ? null : `${record.status}, ${plural(record.failures, "failure")}`;
  return [
    head(record.name, "subgraph"),
    facts(
      ["runs on", record.delegate],
      ["kernels", whole(record.kernels.length)],
      ["graph", record.graph],
      ["boundary", `${bytes(record.boundary_bytes)} per prediction`],
      ["estimated", time === null ? null : `${microseconds(time)} (not measured)`],
      ["status", status],
      ["error", record.error],
    ),
    ...tensors("takes", record.input_tensors, crossing),
    ...tensors("gives", record.output_tensors, crossing),
    element("h3", {}, "kernels"),
    element("ul", { class: "names" }, ...members.map(({ label }) => element("li", {}, named(label.name)))),
  ];
}

const nameOf = (vertex) => vertex.label?.name ?? vertex.layer?.path ?? `the graph's ${vertex.kind}`;

function ofEdge({ tensor, source, target }, crossing) {
  return [
    head(tensor.name, "tensor"),
    facts(
      ["type", tensor.dtype],
      ["shape", shape(tensor)],
      ["size", tensor.nbytes ? bytes(tensor.nbytes) : "not known"],
      ["made by", nameOf(source)],
      ["read by", nameOf(target)],
      ["boundary", crossing.has(tensor.id) ? "it crosses the boundary of a subgraph" : null],
    ),
  ];
}

function ofPill({ kind, tensor }) {
  const size = tensor.nbytes ? bytes(tensor.nbytes) : "not known";
  const told = facts(["type", tensor.dtype], ["shape", shape(tensor)], ["size", size]);
  return [head(tensor.name, `${kind} of the graph`), told];
}

function tensors(title, list, crossing) {
  if (!list?.length) return [];
  const line = (tensor) => {
    const crosses = !tensor.constant && crossing.has(tensor.id);
    const size = tensor.nbytes ? bytes(tensor.nbytes) : null;
    const told = [tensor.dtype, shape(tensor), size, tensor.constant ? "constant" : null, crosses ? "boundary" : null];
    return element(
      "li",
      { class: crosses ? "crosses" : null },
      element("span", { class: "tensor" }, tensor.name ? named(tensor.name) : "(no name)"),
      element("span", { class: "soft" }, told.filter(Boolean).join(" · ")),
    );
  };
  return [element("h3", {}, title), element("ul", { class: "tensors" }, ...list.map(line))];
}

function attributes(values) {
  const pairs = Object.entries(values);
  if (!pairs.length) return [];
  const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  return [element("h3", {}, "attributes"), facts(...pairs.map(([name, value]) => [name, plain(value)]))];
}
