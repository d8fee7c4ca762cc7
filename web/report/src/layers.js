/**
 * Layers: the groups that the paths of the nodes' names make, such as "/blocks/0/attn", and the graph as it is drawn
 * while some of them are folded.
 */

const LEAST = 2; // nodes of a layer

/** Adds to a graph its layers, outermost first, and to each node and layer the layers that it is in. */
export function addLayers(graph) {
  const found = new Map();
  const parts = new Map(graph.nodes.map((node) => [node, prefixesOf(node.label.name)]));
  const inner = new Set([...parts.values()].flat());
  for (const [node, prefixes] of parts) {
    const own = inner.has(node.label.name) ? [node.label.name] : []; // what a node was taken apart into is beside it
    for (const path of [...prefixes, ...own]) found.set(path, [...(found.get(path) ?? []), node]);
  }
  const worthwhile = [...found].filter(([, nodes]) => nodes.length >= LEAST && nodes.length < graph.nodes.length);
  worthwhile.sort(([a], [b]) => a.length - b.length);
  graph.layers = [];
  for (const node of graph.nodes) node.layers = [];
  for (const [at, [path, members]] of worthwhile.entries()) {
    const isAround = ([inside, nodes]) => nodes.length === members.length && inside.startsWith(`${path}/`);
    if (worthwhile.slice(at + 1).some(isAround)) continue; // all of it is in one layer
    const layer = { id: `layer:${graph.name}:${path}`, kind: "layer", path, members, graph, layers: [...members[0].layers] };
    for (const node of members) node.layers.push(layer);
    graph.layers.push(layer);
  }
}

/** The paths that a name begins with: of "/a/b/c" they are "/a" and "/a/b". */
function prefixesOf(name) {
  const ends = [...name.matchAll(/\//g)].map(({ index }) => index).filter((index) => index > 0);
  return ends.map((end) => name.slice(0, end));
}

/** Layers and nodes of a graph in the order of a tree, each behind the layers that it is in. */
export function treeOf(graph) {
  const children = new Map([[null, []]]);
  const add = (thing) => {
    const parent = thing.layers.at(-1) ?? null;
    if (!children.has(parent)) children.set(parent, []), add(parent);
    children.get(parent).push(thing);
  };
  graph.nodes.forEach(add);
  const walk = (thing) => [thing, ...(children.get(thing) ?? []).flatMap(walk)];
  return children.get(null).flatMap(walk);
}

/**
 * The graph as it is drawn: the nodes of a folded layer are one vertex, and one for each subgraph where they are in
 * several. It has what a graph has, `shown(thing)`, which is what is drawn in place of a thing, and `inside`, the
 * vertices of each region.
 */
export function viewOf(graph, folded) {
  const vertices = new Map();
  const standIns = new Map(graph.nodes.map((node) => [node, vertexOf(node, folded, vertices)]));
  const shown = (thing) => standIns.get(thing) ?? thing;
  const inside = new Map(graph.regions.map((region) => [region, [...new Set(region.members.map(shown))]]));
  const nodes = [...new Set(standIns.values())];
  return { ...graph, graph, nodes, edges: edgesOf(graph, shown), inside, shown };
}

function vertexOf(node, folded, vertices) {
  const layer = node.layers.find((each) => folded.has(each));
  if (!layer) return node;
  const id = `${layer.id}@${node.region?.id ?? ""}`;
  if (!vertices.has(id)) vertices.set(id, { id, kind: "layer", layer, region: node.region, members: [] });
  vertices.get(id).members.push(node);
  return vertices.get(id);
}

function edgesOf(graph, shown) {
  const edges = new Map();
  const labelled = new Set();
  for (const edge of graph.edges) {
    const [source, target] = [shown(edge.source), shown(edge.target)];
    const id = `${source.id}>${target.id}:${edge.tensor.id}`;
    if (source === target || edges.has(id)) continue;
    const isFirst = edge.crosses && !labelled.has(edge.tensor.id); // one label is enough for a tensor that goes to many
    if (isFirst) labelled.add(edge.tensor.id);
    edges.set(id, { ...edge, id, source, target, isFirst });
  }
  return [...edges.values()];
}
