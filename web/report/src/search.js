/** The search field: finds nodes by name, type and code, and goes from one to the next. */

import { byId, whole } from "./dom.js";
import { sourceText, sourcesOf } from "./labels.js";

const PAUSE = 120; // milliseconds without a key before it searches: large drawings take a while to light up

/**
 * Calls `found(text, nodes)` as the user types and `go(node)` for the next (Enter) or the one before (Shift+Enter).
 * Words are all to be in the name, the type or the code of a node, in any order, in capitals or not.
 */
export function search(nodes, found, go) {
  const field = byId("search");
  const texts = new Map(nodes.map((node) => [node, textOf(node)]));
  let hits = [];
  let at = -1;
  const run = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    hits = words.length ? nodes.filter((node) => words.every((word) => texts.get(node).includes(word))) : [];
    at = -1;
    byId("found").textContent = words.length ? `${whole(hits.length)} of ${whole(nodes.length)}` : "";
    found(words.length > 0, hits);
  };
  let waiting = null;
  const flush = () => {
    if (waiting === null) return;
    clearTimeout(waiting);
    waiting = null;
    run();
  };
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(flush, PAUSE);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    flush();
    if (!hits.length) return;
    at = (at + (event.shiftKey ? -1 : 1) + hits.length + (at < 0 && event.shiftKey ? 1 : 0)) % hits.length;
    byId("found").textContent = `${whole(at + 1)} of ${whole(hits.length)}`;
    go(hits[at]);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    field.focus();
  });
}

const textOf = ({ record }) =>
  [record.name, record.type, record.code ?? "", ...sourcesOf(record).map(sourceText)].join(" ").toLowerCase();
