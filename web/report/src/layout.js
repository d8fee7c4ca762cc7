/** Where everything is drawn: ELK's layered layout, in a worker so that the page stays usable. */

import ELK from "elkjs/lib/elk-api.js";
import workerSource from "elkjs/lib/elk-worker.min.js";

export const NODE = { width: 168, height: 44 };
export const PILL = { width: 132, height: 28 };
const REGION_PADDING = "[top=34,left=16,bottom=16,right=16]";
const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.layered.mergeEdges": "true",
  "elk.layered.mergeHierarchyEdges": "true",
  "elk.layered.nodePlacement.strategy": "LINEAR_SEGMENTS",
  "elk.layered.spacing.nodeNodeBetweenLayers": "34",
  "elk.layered.spacing.edgeNodeBetweenLayers": "14",
  "elk.spacing.nodeNode": "26",
  "elk.spacing.edgeNode": "16",
  "elk.spacing.componentComponent": "60",
  "elk.json.shapeCoords": "ROOT",
  "elk.json.edgeCoords": "ROOT",
};

let elk = null;

function engine() {
  const start = () => new Worker(URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" })));
  elk ??= new ELK({ workerFactory: start, algorithms: ["layered"] });
  return elk;
}

/**
 * Places and routes a graph as it is drawn.
 *
 * @returns {Promise<{boxes: Map<string, {x, y, width, height}>, routes: Map<string, {x, y}[]>}>} the corners of
 *     vertices and regions, and the points of edges from one end to the other, all in one system of coordinates
 */
export async function layOut(graph) {
  const root = { id: "root", layoutOptions: OPTIONS, children: shapes(graph), edges: lines(graph) };
  const laid = await engine().layout(root);
  const boxes = new Map();
  const collect = (shape) => {
    boxes.set(shape.id, { x: shape.x, y: shape.y, width: shape.width, height: shape.height });
    shape.children?.forEach(collect);
  };
  laid.children.forEach(collect);
  const routes = new Map(laid.edges.map((edge) => [edge.id, pointsOf(edge)]));
  return { boxes, routes };
}

function shapes(graph) {
  const box = (vertex) => ({ id: vertex.id, ...(graph.pills.includes(vertex) ? PILL : NODE) });
  const regions = new Map(
    graph.regions.map((region) => {
      const layoutOptions = { "elk.padding": REGION_PADDING };
      return [region, { id: region.id, layoutOptions, children: graph.inside.get(region).map(box) }];
    }),
  );
  const free = [...graph.pills, ...graph.nodes].filter((vertex) => !vertex.region);
  return [...regions.values(), ...free.map(box)];
}

function lines(graph) {
  return graph.edges.map((edge) => ({ id: edge.id, sources: [edge.source.id], targets: [edge.target.id] }));
}

function pointsOf(edge) {
  const [section] = edge.sections ?? [];
  return section ? [section.startPoint, ...(section.bendPoints ?? []), section.endPoint] : [];
}
