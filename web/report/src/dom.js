/** Making elements, and writing numbers and tensors for people. */

/** An element with attributes; attributes that are null or false are left out. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);

export const whole = (value) => value.toLocaleString("en");

/** Bytes in the largest unit that leaves at least 1. */
export function bytes(value) {
  if (value < 1000) return `${value} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(value) / 3), units.length);
  return `${(value / 1000 ** power).toPrecision(3)} ${units[power - 1]}`;
}

/** Microseconds with a unit that suits them. */
export function microseconds(value) {
  if (Math.abs(value) < 1000) return `${value.toFixed(1)} µs`;
  return Math.abs(value) < 1e6 ? `${(value / 1000).toFixed(2)} ms` : `${(value / 1e6).toFixed(2)} s`;
}

export function shape(tensor) {
  if (!tensor.shape) return "shape unknown";
  return tensor.shape.length ? tensor.shape.map((d) => (d < 0 ? "?" : d)).join("×") : "scalar";
}

const LONGEST = 120; // characters of a name
const PIECES = /[^\s/_.:;-]{1,24}[\s/_.:;-]*|[\s/_.:;-]+/g;

/** A name that breaks behind its separators, not inside words; of one without end, beginning and end. */
export function named(name) {
  const line = name.replace(/\s+/g, " ");
  const shown = line.length <= LONGEST ? line : `${line.slice(0, LONGEST / 2)}…${line.slice(1 - LONGEST / 2)}`;
  const pieces = (shown.match(PIECES) ?? []).flatMap((piece) => [piece, element("wbr")]);
  return element("span", shown === name ? {} : { title: name }, ...pieces);
}

const pen = document.createElement("canvas").getContext("2d");

/** How many pixels a text is wide. */
export function widthOf(text, font) {
  pen.font = font;
  return pen.measureText(text).width;
}

/** A name on one line of so many pixels: its end, which is what differs between long names; or all but its middle. */
export function fitting(name, width, font, cut = "beginning") {
  const line = name.replace(/\s+/g, " ").slice(-LONGEST);
  let shown = line;
  for (let kept = line.length - 1; widthOf(shown, font) > width && kept > 0; kept -= 1) {
    const head = cut === "middle" ? Math.ceil(kept / 2) : 0;
    shown = `${line.slice(0, head)}…${line.slice(line.length - kept + head)}`;
  }
  return shown;
}

/** The beginning of a text. */
export const beginning = (text, length) => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);

export const plural = (count, word) => `${whole(count)} ${word}${count === 1 ? "" : "s"}`;
