/** The page: reads the report that is embedded in it, and ties drawing, tables and details together. */

import "./page.css";

import * as tables from "./contents.js";
import { details } from "./details.js";
import { byId, element, plural, whole } from "./dom.js";
import * as drawings from "./drawing.js";
import { SCOPES, decibels, errorsOf, figuresOf } from "./figures.js";
import { graphsOf, proofPaths } from "./graphs.js";
import { gradient, scaleOf } from "./heat.js";
import { treeOf, viewOf } from "./layers.js";
import { layOut } from "./layout.js";
import { boundaryIds, proofIds } from "./lighting.js";
import { minimap } from "./minimap.js";
import { search } from "./search.js";
import { splitter } from "./splitter.js";
import { calibrationText, summary } from "./summary.js";
import { onTheme } from "./theme.js";

const AT_ONCE = 5000; // nodes of a drawing that is made without being asked for
const FOLDED_FROM = 150; // nodes of a graph whose layers are folded at first
const ASSUMPTION =
  "All else stays as it is. Times are estimates: on the device the nodes are assumed to gain as much as the median " +
  "of the nodes that the delegate claims.";

const report = JSON.parse(byId("data").textContent);
const graphs = graphsOf(report);
const proof = proofPaths(report, graphs);
const crossing = new Set(
  report.subgraphs.flatMap((s) => [...(s.input_tensors ?? []), ...(s.output_tensors ?? [])]).map((tensor) => tensor.id),
);
const allNodes = [...graphs.values()].flatMap((graph) => graph.nodes);
const allLayers = [...graphs.values()].flatMap((graph) => graph.layers);
const allRegions = [...graphs.values()].flatMap((graph) => graph.regions);
const errorOf = errorsOf(report);
const hasErrors = (report.errors ?? []).length > 0;
const figures = figuresOf(allNodes, errorOf);
const state = {
  folded: new Set(allLayers.filter(({ graph }) => graph.nodes.length >= FOLDED_FROM)),
  figure: null, // what the nodes are colored by; null: by the device
  flat: false, // whether the table of nodes is sorted, so that layers have no place in it
  kept: null, // nodes that the search keeps in the table; null: all
  opening: null, // the graph that is drawn, or will be when it is laid out
  drawing: null,
  chosen: null, // what the details are of
  lit: { proof: false, boundary: false },
  hits: null, // nodes that were found
  fromRow: false, // whether a row of a table found them, and not the search
  redraw: () => {},
};

const graphOf = (thing) => [...graphs.values()].find((g) => [g.nodes, g.regions, g.layers].some((list) => list.includes(thing)));

/** Draws a graph, unless it is to be seen already; a very large drawing only when it is asked for once more. */
function open(graph, isWanted = false) {
  if (state.opening?.graph === graph && (!isWanted || state.opening.isWanted)) return state.opening.done;
  state.drawing?.cy.destroy();
  state.drawing = null;
  byId("graphs").value = graph.name;
  const opening = { graph, isWanted, view: viewOf(graph, state.folded), done: null };
  state.opening = opening;
  opening.done = opening.view.nodes.length > AT_ONCE && !isWanted ? askFor(opening) : drawFor(opening);
  return opening.done;
}

/** Lays out and draws; what another graph was chosen in place of meanwhile is let go. */
async function drawFor(opening) {
  const stage = byId("stage");
  stage.dataset.state = "drawing";
  byId("message").textContent = `Laying out ${plural(opening.view.nodes.length, "node")} …`;
  try {
    const plan = await layOut(opening.view);
    if (state.opening !== opening) return;
    state.drawing = drawings.draw(byId("canvas"), opening.view, plan, picked);
  } catch (error) {
    if (state.opening !== opening) return;
    stage.dataset.state = "failed";
    byId("message").textContent = `The graph cannot be drawn: ${error.message ?? error}`;
    return;
  }
  state.redraw = minimap(byId("map"), state.drawing);
  colour();
  light();
  stage.dataset.state = "drawn";
}

/** Shows what is known of a thing: a node, a region, an edge, an input or output; null for nothing. */
function choose(thing) {
  state.chosen = thing;
  details(byId("details"), thing, crossing, hasErrors && thing?.kind === "node" ? errorText(thing) : null);
  if (thing?.layer) byId("details").firstChild.append(unfoldButton(thing.layer));
  contents.nodes.choose(thing?.layer ?? thing);
  contents.subgraphs.choose(thing);
  if (state.drawing) drawings.mark(state.drawing, "chosen", chosenIds());
  link(thing);
}

/** The error of a node and what was compared, or why there is none. */
function errorText(node) {
  const error = errorOf(node);
  if (error) return `${decibels(error.noise)}, ${SCOPES[error.scope]} (${error.outcome})`;
  return node.record.subgraph === null ? "none is known: it is on the CPU" : "none is known: it was not compared";
}

/** Of a layer that a row stands for, all that is drawn of it. */
function chosenIds() {
  const { chosen, drawing } = state;
  const things = chosen?.kind === "layer" ? chosen.members : [chosen].filter(Boolean);
  return new Set(things.map((thing) => drawing.view.shown(thing).id));
}

/** The address of the page leads to the node that is chosen. */
function link(thing) {
  if (state.opening === null) return; // a page that just opens keeps the address that it was opened by
  const hash = thing?.kind === "node" ? `#node=${encodeURIComponent(thing.label.name)}` : "";
  if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname + location.search);
}

/** Goes to the node that the address names, by its name in the model's file or its own. */
function follow() {
  const named = /^#node=(.+)$/.exec(location.hash);
  if (!named) return null;
  const wanted = decodeURIComponent(named[1]);
  const found = allNodes.find(({ label }) => label.name === wanted) ?? allNodes.find(({ record }) => record.name === wanted);
  return found ? goTo(found) : null;
}

function unfoldButton(layer) {
  const button = element("button", { type: "button", class: "button", id: "unfold-this" }, "Unfold");
  button.addEventListener("click", () => toggle(layer));
  return button;
}

/** Folds a layer, or unfolds it, in the table and in the drawing. */
async function toggle(layer) {
  if (!state.folded.delete(layer)) state.folded.add(layer);
  await refold(layer.graph);
  if (state.drawing?.view.graph === layer.graph) drawings.show(state.drawing, layer.members[0]);
}

function foldAll(isFolded) {
  state.folded = new Set(isFolded ? allLayers : []);
  return refold(state.opening?.graph);
}

/** After layers were folded or unfolded: rows, and the drawing if it is of this graph. */
function refold(graph) {
  showRows();
  if (!graph || state.opening?.graph !== graph) return null;
  const { isWanted } = state.opening;
  state.opening = null;
  return open(graph, isWanted);
}

/** The rows of the table of nodes: a tree that is open where layers are, or all that was found, sorted. */
function showRows() {
  const isFlat = state.flat || state.kept !== null;
  const isOpen = ({ layers }) => !layers.some((layer) => state.folded.has(layer));
  const isKept = (node) => state.kept === null || state.kept.has(node);
  contents.nodes.filter((row) => (isFlat ? row.kind === "node" && isKept(row) : isOpen(row)));
  contents.nodes.table.classList.toggle("flat", isFlat);
  for (const layer of allLayers) {
    contents.nodes.lineOf(layer).querySelector(".fold").setAttribute("aria-expanded", !state.folded.has(layer));
  }
}

/** Colors the drawing by the device, or by a figure, with a legend. */
function colour() {
  const { figure, drawing } = state;
  byId("legend").hidden = !figure;
  if (!drawing) return;
  const { nodes } = drawing.view;
  const known = figure ? nodes.map(figure.of).filter((value) => value !== null) : [];
  const scale = scaleOf(known);
  drawings.heat(drawing, (vertex) => (figure && figure.of(vertex) !== null ? scale.of(figure.of(vertex)) : null));
  if (!figure) return;
  const ends = [scale.least, scale.most].map((value) => element("span", {}, figure.show(value)));
  const band = element("span", { class: "band", style: `background: ${gradient()}` });
  const without = nodes.length - known.length;
  byId("legend").replaceChildren(
    element("b", { title: figure.title }, figure.head),
    ...(known.length ? [ends[0], band, ends[1]] : []),
    ...(without ? [element("span", { class: "soft" }, `not known of ${whole(without)}`)] : []),
  );
}

function colouring() {
  const select = byId("figure");
  const choices = [["", "device"], ...figures.map(({ key, head }) => [key, head])];
  select.append(...choices.map(([value, text]) => element("option", { value }, `color: ${text}`)));
  select.hidden = !figures.length;
  select.addEventListener("change", () => {
    state.figure = figures.find(({ key }) => key === select.value) ?? null;
    colour();
  });
}

/** Brings a row into sight, where the tables scroll by themselves: elsewhere the drawing would leave the screen. */
function scrollTo(line) {
  const box = byId("tables");
  if (line && box.scrollHeight > box.clientHeight) line.scrollIntoView({ block: "nearest" });
}

/** In the place of a very large drawing. */
function askFor({ graph, view }) {
  const button = element("button", { type: "button", class: "button" }, "Draw it");
  button.addEventListener("click", () => open(graph, true));
  byId("stage").dataset.state = "asking";
  const text = `The graph has ${plural(view.nodes.length, "node")}: laying it out may take minutes.`;
  byId("message").replaceChildren(text, element("br"), button);
}

/** What was clicked in the drawing; a click beside everything lets go of what a row of a table lit up. */
function picked(thing) {
  choose(thing);
  if (thing || !state.fromRow) return;
  state.hits = null;
  light();
}

/** The same for a row of a table: the drawing moves there as well. */
async function goTo(thing) {
  const graph = graphOf(thing);
  const isHidden = thing.layers?.filter((layer) => state.folded.delete(layer)).length > 0;
  if (isHidden) refold(graph);
  choose(thing);
  scrollTo(contents.nodes.lineOf(thing));
  await open(graph);
  if (state.drawing?.view.graph === graph) drawings.show(state.drawing, thing.kind === "layer" ? thing.members[0] : thing);
}

/** Lights up what was found and what the toggles ask for; the rest fades. */
function light() {
  if (!state.drawing) return;
  const { view } = state.drawing;
  const hit = (state.hits ?? []).filter((node) => (node.record.graph ?? "") === view.name);
  const path = state.lit.proof ? proofIds(view, proof) : { ids: new Set(), missing: [] };
  drawings.addOrderEdges(state.drawing, path.missing);
  const boundary = state.lit.boundary ? boundaryIds(view, crossing) : new Set();
  const sets = { proof: path.ids, boundary, hit: new Set(hit.map((node) => view.shown(node).id)) };
  const active = [state.lit.proof && sets.proof, state.lit.boundary && sets.boundary, state.hits && sets.hit];
  state.drawing.cy.batch(() => {
    for (const [name, ids] of Object.entries(sets)) drawings.mark(state.drawing, name, ids);
    drawings.fade(state.drawing, ...active.filter(Boolean));
    drawings.mark(state.drawing, "chosen", chosenIds());
  });
  state.redraw();
}

/** A button that is pressed or not; `where` are the graphs in which it lights up something, none: it is of no use. */
function lamp(name, where) {
  const button = byId(name);
  button.disabled = !where.length;
  button.addEventListener("click", () => {
    state.lit[name] = !state.lit[name];
    button.setAttribute("aria-pressed", state.lit[name]);
    light();
    const isHere = !state.opening || where.includes(state.opening.graph);
    if (state.lit[name] && !isHere) open(where[0]);
  });
}

function chooser() {
  const names = [...graphs.keys()];
  const select = byId("graphs");
  const label = (name) => `${name || "main graph"} (${whole(graphs.get(name).nodes.length)})`;
  select.append(...names.map((name) => element("option", { value: name }, label(name))));
  select.hidden = names.length < 2;
  select.addEventListener("change", () => open(graphs.get(select.value)));
}

/** The tables, each under a tab; one that has nothing to tell is left out. */
function fillTables() {
  const several = graphs.size > 1;
  const rows = [...graphs.values()].flatMap(treeOf);
  const sorted = (column, isDown) => {
    state.flat = column.key !== "index" || isDown;
    showRows();
  };
  const nodes = tables.nodesTable(rows, several, figures, { pick: goTo, toggle, sorted });
  const subgraphs = tables.subgraphsTable(allRegions, several, goTo);
  const refused = tables.refusedTable(allNodes, (row) => findNodes(row.nodes));
  const onCpu = report.kernels_total - report.kernels_delegated;
  const helps = report.what_if ?? [];
  const plans = report.alternatives ?? [];
  const labels = new Map(allNodes.map(({ record, label }) => [record.name, label.name]));
  const whatIf = tables.whatIfTable(helps, (name) => labels.get(name) ?? name, (row) => findNodes(nodesNamed(row.nodes)));
  const found = [
    ["nodes", `Nodes ${whole(allNodes.length)}`, nodes.table],
    ["subgraphs", `Subgraphs ${whole(allRegions.length)}`, allRegions.length ? subgraphs.table : null],
    ["refused", `On the CPU ${whole(onCpu)}`, onCpu ? refused.table : null],
    ["what-if", "What if", helps.length ? whatIf.table : null],
    ["plans", `Plans ${whole(plans.length)}`, plans.length ? tables.plansTable(plans).table : null],
  ];
  showTabs(found.filter(([, , table]) => table));
  return { nodes, subgraphs };
}

function showTabs(found) {
  const show = (wanted) => {
    for (const [id] of found) {
      byId(`tab-${id}`).setAttribute("aria-selected", id === wanted);
      byId(`panel-${id}`).hidden = id !== wanted;
    }
  };
  for (const [at, [id, text, table]] of found.entries()) {
    const attributes = { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}` };
    const tab = element("button", attributes, text);
    tab.addEventListener("click", () => show(id));
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!step) return;
      const next = [...byId("tabs").children].at((at + step) % found.length);
      next.focus();
      next.click();
    });
    byId("tabs").append(tab);
    const panel = { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}` };
    byId("tables").append(element("div", panel, table, below(id)));
  }
  show(found[0][0]);
}

function nodesNamed(names) {
  const wanted = new Set(names);
  return allNodes.filter((node) => node.record.subgraph === null && wanted.has(node.record.name));
}

/** What stands under a table. */
function below(id) {
  if (id === "nodes") return element("p", { id: "nothing", class: "none", hidden: "" }, "No node fits.");
  const text = { "what-if": ASSUMPTION, plans: calibrationText(report.calibration) }[id];
  return text ? element("p", { class: "none" }, text) : null;
}

/** Lights up the nodes of a row as if they had been searched for, and goes to the first. */
function findNodes(nodes) {
  state.hits = nodes;
  state.fromRow = true;
  light();
  return nodes.length ? goTo(nodes[0]) : choose(null);
}

function onSearch(active, hits) {
  state.hits = hits.length ? hits : null; // with nothing found, nothing fades
  state.fromRow = false;
  const kept = new Set(hits);
  state.kept = active ? kept : null;
  showRows();
  byId("nothing").hidden = !active || hits.length > 0;
  light();
}

function buttons() {
  byId("fit").addEventListener("click", () => state.drawing && drawings.fitAll(state.drawing));
  byId("closer").addEventListener("click", () => state.drawing && drawings.zoomBy(state.drawing, 1.4));
  byId("further").addEventListener("click", () => state.drawing && drawings.zoomBy(state.drawing, 1 / 1.4));
  byId("fold").addEventListener("click", () => foldAll(true));
  byId("unfold").addEventListener("click", () => foldAll(false));
  byId("fold").hidden = byId("unfold").hidden = !allLayers.length;
  byId("licences").addEventListener("click", () => byId("licence-texts").showModal());
  onTheme(byId("theme"), () => {
    if (state.drawing) drawings.recolour(state.drawing);
    state.redraw();
  });
}

summary(report);
const contents = fillTables();
chooser();
lamp("proof", proof.map((path) => path.graph));
lamp("boundary", [...graphs.values()].filter((graph) => boundaryIds(graph, crossing).size));
search(allNodes, onSearch, goTo);
buttons();
colouring();
showRows();
splitter(byId("splitter"));
new ResizeObserver(() => state.redraw()).observe(byId("map"));
choose(null);
window.addEventListener("hashchange", follow);
if (graphs.size) follow() ?? open(graphs.values().next().value);
else byId("message").textContent = "The model has no nodes.";
