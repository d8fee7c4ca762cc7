/** The drawing of one graph: Cytoscape on a canvas, placed by the layout. */

import cytoscape from "cytoscape";

import { bytes, fitting, plural, shape, widthOf } from "./dom.js";
import { FONTS, styleSheet } from "./style.js";
import { NODE, PILL } from "./layout.js";
import { HUE_COUNT, colours } from "./theme.js";

const READABLE = 0.75;

/** Draws a laid out view into a container; `picked` is called with the thing that was clicked, or null. */
export function draw(container, graph, { boxes, routes }, picked) {
  const things = new Map([...graph.nodes, ...graph.pills, ...graph.regions, ...graph.edges].map((t) => [t.id, t]));
  const hasSeveral = new Set(graph.regions.map((region) => region.record.delegate)).size > 1;
  const names = shortNames(graph.nodes);
  const cy = cytoscape({
    container,
    elements: [
      ...[...graph.regions, ...graph.pills, ...graph.nodes].map((thing) => box(thing, boxes.get(thing.id), names)),
      ...graph.regions.map((region) => title(region, boxes.get(region.id), hasSeveral)),
      ...graph.edges.map((edge) => line(edge, routes.get(edge.id), boxes)),
    ],
    style: styleSheet(colours()),
    layout: { name: "preset" },
    autoungrabify: true,
    boxSelectionEnabled: false,
    selectionType: "single",
    maxZoom: 3,
    minZoom: 0.002,
    hideEdgesOnViewport: things.size > 6000,
  });
  cy.on("tap", (event) => picked(event.target === cy ? null : things.get(event.target.id()) ?? null));
  const drawing = { cy, view: graph, boxes };
  home(drawing);
  return drawing;
}

function box(thing, place, names) {
  const { x, y, width, height } = place;
  const data = { id: thing.id, label: labelOf(thing, names), width, height };
  return { group: "nodes", data, position: { x: x + width / 2, y: y + height / 2 }, classes: classesOf(thing) };
}

/** What stands at the top left of a region: above the lines that pass there. Where there is no room, less of it. */
function title(region, { x, y, width }, withDelegate) {
  const { name, delegate } = region.record;
  const count = plural(region.members.length, "kernel");
  const choices = [[name, withDelegate && delegate, count], [name, count]].map((parts) => parts.filter(Boolean).join(" · "));
  const room = width - 24;
  const label = choices.find((text) => widthOf(text, FONTS.title) <= room) ?? fitting(name, room, FONTS.title);
  const data = { id: `title:${region.id}`, label, width: 1, height: 1 };
  return { group: "nodes", data, position: { x: x + 8, y: y + 17 }, classes: ["title", colourOf(region)] };
}

const colourOf = (region) => (region ? `c${region.index % HUE_COUNT}` : "cpu");

const within = (text, { width }, font, cut) => fitting(text, width - 12, font, cut);

function labelOf(thing, names) {
  if (thing.kind === "layer") return `▸ ${within(layerName(thing.layer), LAYER, FONTS.node)}\n${plural(thing.members.length, "node")}`;
  if (thing.kind === "node") return `${within(thing.label.type, NODE, FONTS.node)}\n${names.get(thing)}`;
  if (thing.kind === "region") return "";
  return within(thing.tensor.name || thing.kind, PILL, FONTS.pill);
}

const LAYER = { width: NODE.width - 14 };
const layerName = ({ path, layers }) => path.slice(layers.length ? layers.at(-1).path.length + 1 : 0);

/** The names that fit into nodes: their ends, and where these are alike, what is before and behind the middle. */
function shortNames(vertices) {
  const nodes = vertices.filter((vertex) => vertex.kind === "node");
  const ends = nodes.map((node) => within(node.label.name, NODE, FONTS.node));
  const counts = new Map();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  const common = commonPath(nodes.map((node) => node.label.name));
  const nameOf = ({ label: { name } }, end) =>
    counts.get(end) === 1 || end === name ? end : within(name.slice(common), NODE, FONTS.node, "middle");
  return new Map(nodes.map((node, at) => [node, nameOf(node, ends[at])]));
}

/** How long the path is that all names begin with. */
function commonPath([first = "", ...others]) {
  let length = first.lastIndexOf("/") + 1;
  while (length && !others.every((name) => name.startsWith(first.slice(0, length)))) {
    length = length > 1 ? first.lastIndexOf("/", length - 2) + 1 : 0;
  }
  return length;
}

function classesOf(thing) {
  if (thing.kind === "region") return ["region", colourOf(thing)];
  if (thing.kind === "layer") return ["node", "layer", colourOf(thing.region)];
  return [thing.kind === "node" ? "node" : "pill", colourOf(thing.region)];
}

/** An edge; its bends are told as shares of the way between its ends, and distances from that line. */
function line(edge, points, boxes) {
  const told = `${shape(edge.tensor)}${edge.tensor.nbytes ? ` · ${bytes(edge.tensor.nbytes)}` : ""}`;
  const data = { id: edge.id, source: edge.source.id, target: edge.target.id, label: edge.isFirst ? told : "" };
  const [first, last] = [points[0], points[points.length - 1]];
  data.from = offset(first, boxes.get(edge.source.id));
  data.to = offset(last, boxes.get(edge.target.id));
  const bends = points.slice(1, -1);
  if (!bends.length) return { group: "edges", data };
  const [dx, dy] = [last.x - first.x, last.y - first.y];
  const squared = dx * dx + dy * dy;
  data.weights = bends.map((p) => ((p.x - first.x) * dx + (p.y - first.y) * dy) / squared);
  data.distances = bends.map((p) => (dx * (p.y - first.y) - dy * (p.x - first.x)) / Math.sqrt(squared));
  return { group: "edges", data, classes: ["bent"] };
}

/** Where an edge meets a box, from the middle of the box. */
function offset(point, { x, y, width, height }) {
  return `${point.x - x - width / 2}px ${point.y - y - height / 2}px`;
}

/** All of a graph that fits in the window legibly, else its top at a size that can be read. */
export function home({ cy }) {
  cy.fit(undefined, 24);
  if (cy.zoom() >= 0.5) {
    if (cy.zoom() > 1.2) cy.zoom(1.2), cy.center();
    return;
  }
  const all = cy.elements().boundingBox();
  const zoom = Math.min(1, Math.max(READABLE, (cy.width() - 48) / all.w));
  const top = cy.nodes(".pill, .node").min((node) => node.position("y")).ele.position("x");
  const middle = all.w * zoom <= cy.width() ? all.x1 + all.w / 2 : top;
  cy.viewport({ zoom, pan: { x: cy.width() / 2 - zoom * middle, y: 24 - zoom * all.y1 } });
}

/** Everything, however small. */
export const fitAll = ({ cy }) => cy.fit(undefined, 24);

/** Larger or smaller about the middle of the window. */
export function zoomBy({ cy }, factor) {
  cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
}

/** Brings a thing to the middle of the window, at a size that can be read. */
export function show({ cy, boxes, view }, wanted) {
  const thing = view.shown(wanted);
  if (!boxes.has(thing.id)) return;
  const element = cy.getElementById(thing.id);
  const place = boxes.get(thing.id);
  const isRegion = thing.kind === "region";
  const fitting = Math.min((cy.width() - 60) / place.width, (cy.height() - 60) / place.height, 1);
  if (isRegion || cy.zoom() < READABLE) cy.zoom(isRegion ? Math.max(fitting, 0.1) : 1);
  cy.center(element);
}

/** Gives a class to exactly these things. */
export function mark({ cy }, name, ids) {
  cy.batch(() => {
    cy.elements(`.${name}`).filter((e) => !ids.has(e.id())).removeClass(name);
    for (const id of ids) cy.getElementById(id).addClass(name);
  });
}

/** Colors nodes: `colourOf` gives background and text, or null for what the sheet says. */
export function heat({ cy, view }, colourOf) {
  cy.batch(() => {
    for (const vertex of view.nodes) {
      const found = colourOf(vertex);
      const element = cy.getElementById(vertex.id);
      if (found) element.style({ "background-color": found.fill, color: found.text });
      else element.removeStyle("background-color color");
    }
  });
}

/** Lets everything fade that is in none of the sets; with no set, nothing fades. */
export function fade({ cy }, ...sets) {
  cy.batch(() => {
    if (!sets.length) return cy.elements().removeClass("faint");
    cy.elements().not(".title").forEach((e) => {
      e.toggleClass("faint", !sets.some((ids) => ids.has(e.id())));
    });
  });
}

/** Adds edges that no tensor makes. */
export function addOrderEdges({ cy }, steps) {
  for (const { id, source, target } of steps) {
    if (!cy.getElementById(id).length) {
      const data = { id, source, target, label: "", from: "outside-to-node", to: "outside-to-node" };
      cy.add({ group: "edges", data, classes: ["order"] });
    }
  }
}

export const recolour = ({ cy }) => cy.style(styleSheet(colours()));
