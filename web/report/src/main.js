/** The page: reads the report that is embedded in it, and ties drawing, tables and details together. */

import "./page.css";

import * as tables from "./contents.js";
import { details } from "./details.js";
import { byId, element, plural, whole } from "./dom.js";
import * as drawings from "./drawing.js";
import { graphsOf, proofPaths } from "./graphs.js";
import { layOut } from "./layout.js";
import { boundaryIds, proofIds } from "./lighting.js";
import { minimap } from "./minimap.js";
import { search } from "./search.js";
import { splitter } from "./splitter.js";
import { calibrationText, summary } from "./summary.js";
import { onTheme } from "./theme.js";

const AT_ONCE = 5000; // nodes of a graph that is drawn without being asked for
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
const allRegions = [...graphs.values()].flatMap((graph) => graph.regions);
const state = {
  opening: null, // the graph that is drawn, or will be when it is laid out
  drawing: null,
  chosen: null, // what the details are of
  lit: { proof: false, boundary: false },
  hits: null, // nodes that were found
  fromRow: false, // whether a row of a table found them, and not the search
  redraw: () => {},
};

const graphOf = (thing) => [...graphs.values()].find((g) => [g.nodes, g.regions].some((list) => list.includes(thing)));

/** Draws a graph, unless it is to be seen already; a very large one only when it is asked for once more. */
function open(graph, isWanted = false) {
  if (state.opening?.graph === graph && (!isWanted || state.opening.isWanted)) return state.opening.done;
  state.drawing?.cy.destroy();
  state.drawing = null;
  byId("graphs").value = graph.name;
  const opening = { graph, isWanted, done: null };
  state.opening = opening;
  opening.done = graph.nodes.length > AT_ONCE && !isWanted ? askFor(graph) : drawFor(opening);
  return opening.done;
}

/** Lays out and draws; what another graph was chosen in place of meanwhile is let go. */
async function drawFor(opening) {
  const stage = byId("stage");
  stage.dataset.state = "drawing";
  byId("message").textContent = `Laying out ${plural(opening.graph.nodes.length, "node")} …`;
  try {
    const plan = await layOut(opening.graph);
    if (state.opening !== opening) return;
    state.drawing = drawings.draw(byId("canvas"), opening.graph, plan, picked);
  } catch (error) {
    if (state.opening !== opening) return;
    stage.dataset.state = "failed";
    byId("message").textContent = `The graph cannot be drawn: ${error.message ?? error}`;
    return;
  }
  state.redraw = minimap(byId("map"), state.drawing);
  light();
  stage.dataset.state = "drawn";
}

/** Shows what is known of a thing: a node, a region, an edge, an input or output; null for nothing. */
function choose(thing) {
  state.chosen = thing;
  details(byId("details"), thing, crossing);
  contents.nodes.choose(thing);
  contents.subgraphs.choose(thing);
  if (state.drawing) drawings.mark(state.drawing, "chosen", new Set(thing ? [thing.id] : []));
}

/** In the place of the drawing of a very large graph. */
function askFor(graph) {
  const button = element("button", { type: "button", class: "button" }, "Draw it");
  button.addEventListener("click", () => open(graph, true));
  byId("stage").dataset.state = "asking";
  const text = `The graph has ${plural(graph.nodes.length, "node")}: laying it out may take minutes.`;
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
  choose(thing);
  await open(graph);
  if (state.drawing?.graph === graph) drawings.show(state.drawing, thing);
}

/** Lights up what was found and what the toggles ask for; the rest fades. */
function light() {
  if (!state.drawing) return;
  const hit = (state.hits ?? []).filter((node) => node.record.graph === state.drawing.graph.name);
  const { graph } = state.drawing;
  const path = state.lit.proof ? proofIds(graph, proof) : { ids: new Set(), missing: [] };
  drawings.addOrderEdges(state.drawing, path.missing);
  const boundary = state.lit.boundary ? boundaryIds(graph, crossing) : new Set();
  const sets = { proof: path.ids, boundary, hit: new Set(hit.map((node) => node.id)) };
  const active = [state.lit.proof && sets.proof, state.lit.boundary && sets.boundary, state.hits && sets.hit];
  state.drawing.cy.batch(() => {
    for (const [name, ids] of Object.entries(sets)) drawings.mark(state.drawing, name, ids);
    drawings.fade(state.drawing, ...active.filter(Boolean));
    drawings.mark(state.drawing, "chosen", new Set(state.chosen ? [state.chosen.id] : []));
  });
  state.redraw();
}

/** A button that is pressed or not; `where` are the graphs in which it lights up something, none: it is of no use. */
function toggle(name, where) {
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
  const nodes = tables.nodesTable(allNodes, several, goTo);
  const subgraphs = tables.subgraphsTable(allRegions, several, goTo);
  const refused = tables.refusedTable(allNodes, (row) => findNodes(row.nodes));
  const onCpu = report.kernels_total - report.kernels_delegated;
  const helps = report.what_if ?? [];
  const plans = report.alternatives ?? [];
  const whatIf = tables.whatIfTable(helps, (row) => findNodes(nodesNamed(row.nodes)));
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
  contents.nodes.filter((node) => !active || kept.has(node));
  byId("nothing").hidden = !active || hits.length > 0;
  light();
}

function buttons() {
  byId("fit").addEventListener("click", () => state.drawing && drawings.fitAll(state.drawing));
  byId("closer").addEventListener("click", () => state.drawing && drawings.zoomBy(state.drawing, 1.4));
  byId("further").addEventListener("click", () => state.drawing && drawings.zoomBy(state.drawing, 1 / 1.4));
  byId("licences").addEventListener("click", () => byId("licence-texts").showModal());
  onTheme(byId("theme"), () => {
    if (state.drawing) drawings.recolour(state.drawing);
    state.redraw();
  });
}

summary(report);
const contents = fillTables();
chooser();
toggle("proof", proof.map((path) => path.graph));
toggle("boundary", [...graphs.values()].filter((graph) => boundaryIds(graph, crossing).size));
search(allNodes, onSearch, goTo);
buttons();
splitter(byId("splitter"));
new ResizeObserver(() => state.redraw()).observe(byId("map"));
choose(null);
if (graphs.size) open(graphs.values().next().value);
else byId("message").textContent = "The model has no nodes.";
