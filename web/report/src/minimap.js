/** The whole drawing, squeezed into a strip: where the window is, and where what was found or lit up is. */

import { colours } from "./theme.js";

const MARKS = { hit: "chosen", proof: "proof", boundary: "boundary" };

/** Keeps the strip up to date with the drawing; returns what redraws it from scratch. */
export function minimap(canvas, drawing) {
  const { cy, boxes } = drawing;
  const all = extent(boxes);
  const still = document.createElement("canvas");
  const scale = () => ({ x: (canvas.width - 4) / all.width, y: canvas.height / all.height });
  const isSeen = () => canvas.width > 0 && canvas.height > 0;
  const redraw = () => {
    canvas.width = still.width = canvas.clientWidth * devicePixelRatio;
    canvas.height = still.height = canvas.clientHeight * devicePixelRatio;
    if (isSeen()) paint(still.getContext("2d"), drawing, all, scale());
    frame();
  };
  const frame = () => {
    const view = cy.extent();
    const whole = view.x1 <= all.x && view.y1 <= all.y && view.x2 >= all.x + all.width && view.y2 >= all.y + all.height;
    canvas.classList.toggle("idle", whole && cy.zoom() > 0.3);
    if (isSeen()) paintFrame(canvas.getContext("2d"), still, view, all, scale());
  };
  cy.on("viewport resize", frame);
  const go = (event) => {
    if (!event.buttons) return;
    const target = {
      x: all.x + (event.offsetX * devicePixelRatio) / scale().x,
      y: all.y + (event.offsetY * devicePixelRatio) / scale().y,
    };
    cy.pan({ x: cy.width() / 2 - target.x * cy.zoom(), y: cy.height() / 2 - target.y * cy.zoom() });
  };
  canvas.onpointerdown = go;
  canvas.onpointermove = go;
  return redraw;
}

function extent(boxes) {
  const places = [...boxes.values()];
  const x = places.reduce((least, p) => Math.min(least, p.x), Infinity);
  const y = places.reduce((least, p) => Math.min(least, p.y), Infinity);
  const right = places.reduce((most, p) => Math.max(most, p.x + p.width), -Infinity);
  const bottom = places.reduce((most, p) => Math.max(most, p.y + p.height), -Infinity);
  return { x, y, width: Math.max(right - x, 1), height: Math.max(bottom - y, 1) };
}

function paint(pen, { cy, view, boxes }, all, scale) {
  const c = colours();
  const fill = (id, colour, least = 1) => {
    const place = boxes.get(id);
    pen.fillStyle = colour;
    const [x, y] = [2 + (place.x - all.x) * scale.x, (place.y - all.y) * scale.y];
    pen.fillRect(x, y, Math.max(place.width * scale.x, 2), Math.max(place.height * scale.y, least));
  };
  for (const region of view.regions) fill(region.id, c.regions[region.index % c.regions.length].fill, 2);
  for (const node of view.nodes) if (!node.region) fill(node.id, c.cpuLine);
  for (const [name, colour] of Object.entries(MARKS)) {
    const marked = name === "boundary" ? cy.edges(`.${name}`).sources() : cy.nodes(`.${name}`);
    marked.forEach((node) => fill(node.id(), c[colour], 3 * devicePixelRatio));
  }
}

function paintFrame(pen, still, view, all, scale) {
  const c = colours();
  pen.clearRect(0, 0, still.width, still.height);
  pen.drawImage(still, 0, 0);
  const [top, bottom] = [(view.y1 - all.y) * scale.y, (view.y2 - all.y) * scale.y];
  const [left, right] = [2 + (view.x1 - all.x) * scale.x, 2 + (view.x2 - all.x) * scale.x];
  const clip = (value, most) => Math.min(Math.max(value, 1), most - 1);
  const [x, y] = [clip(left, still.width), clip(top, still.height)];
  pen.strokeStyle = c.chosen;
  pen.lineWidth = 1.5 * devicePixelRatio;
  const height = Math.max(clip(bottom, still.height) - y, 6 * devicePixelRatio);
  pen.strokeRect(x, Math.min(y, still.height - height), Math.max(clip(right, still.width) - x, 4), height);
}
