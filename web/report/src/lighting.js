/** What is lit up when the user asks for the proof or the boundary: ids of things in the drawing of a view. */

/** The steps of the paths that force the number of subgraphs, and what leads from one to the next. */
export function proofIds(view, paths) {
  const ids = new Set();
  const missing = [];
  for (const path of paths.filter(({ graph }) => graph === view.graph)) {
    const steps = path.steps.map(view.shown).filter((thing, at, all) => thing !== all[at - 1]);
    for (const thing of steps) ids.add(thing.id);
    for (let i = 1; i < steps.length; i += 1) {
      const between = edgesBetween(view, steps[i - 1], steps[i]);
      for (const edge of between) ids.add(edge.id);
      if (!between.length) missing.push(orderEdge(steps[i - 1], steps[i]));
    }
  }
  for (const edge of missing) ids.add(edge.id);
  return { ids, missing };
}

const within = (vertex, thing) => vertex === thing || (thing.kind === "region" && vertex.region === thing);

function edgesBetween(view, source, target) {
  return view.edges.filter((edge) => within(edge.source, source) && within(edge.target, target));
}

/** A step that no tensor makes: the order that side effects need. */
const orderEdge = (source, target) => ({ id: `order:${source.id}>${target.id}`, source: source.id, target: target.id });

/** Edges whose tensors cross, with both of their ends, so that these do not fade. */
export function boundaryIds(graph, crossing) {
  const edges = graph.edges.filter((edge) => edge.crosses && crossing.has(edge.tensor.id));
  return new Set(edges.flatMap((edge) => [edge.id, edge.source.id, edge.target.id]));
}
