/**
 * From a report to the graphs that are drawn: nodes, subgraphs as regions, edges from tensors.
 *
 * A vertex is a node of the model ("node"), or what the graph takes or gives ("input", "output").
 */

import { labelsOf } from "./labels.js";
import { addLayers } from "./layers.js";

/** The graphs by name, the main graph ("") first. */
export function graphsOf(report) {
  const graphs = new Map();
  const labels = labelsOf(report.nodes);
  report.nodes.forEach((record, index) => {
    const name = record.graph ?? "";
    if (!graphs.has(name)) graphs.set(name, { name, nodes: [], pills: [], edges: [], regions: [], gives: new Set() });
    graphs.get(name).nodes.push({ id: `n${index}`, index, kind: "node", record, label: labels.get(record.name) });
  });
  for (const graph of graphs.values()) {
    addRegions(graph, report);
    addEdges(graph, report);
    addLayers(graph);
  }
  return graphs;
}

function addRegions(graph, report) {
  const own = report.subgraphs.filter((s) => (s.graph ?? "") === graph.name);
  const regionOf = (record, index) => ({ id: `${graph.name}/s${index}`, index, kind: "region", record, members: [] });
  graph.regions = own.map(regionOf);
  const byName = new Map(graph.regions.map((region) => [region.record.name, region]));
  for (const node of graph.nodes) {
    node.region = node.record.subgraph === null ? null : byName.get(node.record.subgraph) ?? null;
    node.region?.members.push(node);
  }
}

/** An edge for each tensor that one vertex makes and another reads. */
function addEdges(graph, report) {
  const makers = new Map();
  for (const node of graph.nodes) for (const tensor of node.record.outputs) makers.set(tensor.id, node);
  const seen = new Set();
  for (const node of graph.nodes) {
    for (const tensor of node.record.inputs) {
      if (tensor.constant) continue;
      if (!makers.has(tensor.id)) makers.set(tensor.id, addPill(graph, "input", tensor));
      addEdge(graph, seen, makers.get(tensor.id), node, tensor);
    }
  }
  for (const tensor of givenBy(graph, report)) {
    if (makers.has(tensor.id)) addEdge(graph, seen, makers.get(tensor.id), addPill(graph, "output", tensor), tensor);
  }
}

function addPill(graph, kind, tensor) {
  const pill = { id: `${kind}${tensor.id}`, kind, tensor, region: null };
  graph.pills.push(pill);
  return pill;
}

function addEdge(graph, seen, source, target, tensor) {
  const id = `${source.id}>${target.id}:${tensor.id}`;
  if (seen.has(id)) return;
  seen.add(id);
  graph.edges.push({ id, kind: "edge", source, target, tensor, crosses: source.region !== target.region });
}

/** What a graph gives: told for the main graph; of a graph that is called, what nothing in it reads. */
function givenBy(graph, report) {
  if (graph.name === "") return report.outputs;
  const read = new Set(graph.nodes.flatMap((node) => node.record.inputs.map((tensor) => tensor.id)));
  return graph.nodes.flatMap((node) => node.record.outputs).filter((tensor) => !read.has(tensor.id));
}

/**
 * The paths that force the number of subgraphs: for each delegate and graph a list of steps in its order.
 *
 * A step is a node, or the region of a delegate that came before. Names are resolved graph by graph.
 */
export function proofPaths(report, graphs) {
  const byName = new Map();
  const note = (name, graph, thing, order) => byName.set(name, [...(byName.get(name) ?? []), { graph, thing, order }]);
  for (const graph of graphs.values()) {
    for (const node of graph.nodes) note(node.record.name, graph, node, node.index);
    for (const region of graph.regions) note(region.record.name, graph, region, region.members[0]?.index ?? 0);
  }
  const told = report.delegates?.length ? report.delegates.map((d) => d.minimum_proof) : [report.minimum_proof];
  return told.flatMap((names) => pathsOf(names, byName));
}

function pathsOf(names, byName) {
  const paths = [];
  let last = null;
  for (const name of names) {
    const candidates = byName.get(name) ?? [];
    const found = candidates.find((c) => c.graph === last?.graph && c.order > last.order) ?? candidates[0];
    if (!found) continue;
    if (found.graph !== last?.graph) paths.push({ graph: found.graph, steps: [] });
    paths[paths.length - 1].steps.push(found.thing);
    last = found;
  }
  return paths;
}
