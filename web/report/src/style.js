/** How the drawing looks: Cytoscape's style sheet. */

import { NODE } from "./layout.js";

const FONT = "system-ui, sans-serif";
/** Of what stands in boxes, so that it can be measured. */
export const FONTS = { node: `12px ${FONT}`, pill: `11px ${FONT}`, title: `bold 13px ${FONT}` };

export function styleSheet(colours) {
  const layers = { selector: "*", style: { "z-index-compare": "manual" } }; // else all nodes hide all edges
  return [layers, ...shapes(colours), ...colours.regions.flatMap(ofRegion), ...edges(colours), ...states(colours)];
}

function shapes(c) {
  return [
    {
      selector: "node",
      style: {
        shape: "round-rectangle",
        width: "data(width)",
        height: "data(height)",
        label: "data(label)",
        color: c.text,
        "font-family": FONT,
        "font-size": 12,
        "text-valign": "center",
        "text-wrap": "wrap",
        "text-max-width": 2 * NODE.width, // lines are made to fit; nothing is to be broken
        "line-height": 1.25,
        "min-zoomed-font-size": 6,
        "background-color": c.cpu,
        "border-color": c.cpuLine,
        "border-width": 1,
        "overlay-opacity": 0,
        "z-index": 2,
      },
    },
    { selector: ".node.cpu", style: { "border-style": "dashed" } },
    { selector: ".layer", style: { "border-width": 2, "font-weight": "bold" } },
    { selector: ".pill", style: { "background-color": c.pill, "font-size": 11, "corner-radius": 14 } },
    {
      selector: ".region",
      style: {
        "z-index": 0,
        "corner-radius": 12,
        "border-width": 1.5,
      },
    },
    {
      selector: ".title",
      style: {
        "z-index": 6,
        events: "no",
        "background-opacity": 0,
        "border-width": 0,
        "font-weight": "bold",
        "font-size": 13,
        "text-halign": "right",
        "text-max-width": 10000,
        "text-background-opacity": 1,
        "text-background-padding": 2,
        "min-zoomed-font-size": 5,
      },
    },
  ];
}

function ofRegion(c, index) {
  return [
    { selector: `.node.c${index}`, style: { "background-color": c.fill, "border-color": c.line } },
    { selector: `.region.c${index}`, style: { "background-color": c.area, "border-color": c.line } },
    { selector: `.title.c${index}`, style: { color: c.text, "text-background-color": c.area } },
  ];
}

function edges(c) {
  return [
    {
      selector: "edge",
      style: {
        width: 1.4,
        "line-color": c.edge,
        "target-arrow-color": c.edge,
        "target-arrow-shape": "triangle",
        "arrow-scale": 0.8,
        "curve-style": "straight",
        "source-endpoint": (e) => e.data("from"),
        "target-endpoint": (e) => e.data("to"),
        "overlay-opacity": 0,
        "z-index": 1,
      },
    },
    {
      selector: "edge.bent",
      style: {
        "curve-style": "round-segments",
        "segment-radii": 8,
        "edge-distances": "endpoints",
        "segment-weights": (e) => e.data("weights"),
        "segment-distances": (e) => e.data("distances"),
      },
    },
    { selector: "edge.order", style: { "line-style": "dashed", display: "none" } },
    { selector: "edge.order.proof", style: { display: "element" } },
  ];
}

function states(c) {
  const lit = (colour, width) => ({
    "line-color": colour,
    "target-arrow-color": colour,
    width,
    "z-index": 4,
    opacity: 1,
  });
  return [
    { selector: ".faint", style: { opacity: 0.28 } },
    { selector: ".region.faint", style: { opacity: 0.55 } },
    {
      selector: "edge.boundary",
      style: {
        ...lit(c.boundary, 3.2),
        "source-label": "data(label)", // where it is made, so that those of tensors that meet do not cover each other
        "source-text-offset": 22,
        "z-index": 5,
        color: c.text,
        "font-family": FONT,
        "font-size": 11,
        "text-background-color": c.back,
        "text-background-opacity": 0.92,
        "text-background-padding": 3,
        "text-background-shape": "round-rectangle",
        "text-border-color": c.boundary,
        "text-border-width": 1,
        "text-border-opacity": 1,
        "min-zoomed-font-size": 6,
      },
    },
    { selector: ".pill.boundary", style: { opacity: 1, "border-color": c.boundary, "border-width": 2.5 } },
    { selector: "edge.proof", style: lit(c.proof, 3.6) },
    { selector: ".node.proof, .region.proof", style: { opacity: 1, "border-color": c.proof, "border-width": 3.5 } },
    { selector: ".hit", style: { opacity: 1, "border-color": c.chosen, "border-width": 3, "border-style": "solid" } },
    {
      selector: ".chosen",
      style: { opacity: 1, "outline-color": c.chosen, "outline-width": 3, "outline-offset": 2, "outline-opacity": 1 },
    },
    { selector: "edge.chosen", style: lit(c.chosen, 4) },
  ];
}
