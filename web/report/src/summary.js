/** The top of the page: what was split how, in numbers. */

import { beginning, byId, bytes, element, microseconds, named, plural, whole } from "./dom.js";

const base = (path) => path.split(/[\\/]/).pop();

export function summary(report) {
  const name = report.model ? base(report.model) : "model in memory";
  document.title = `Partition of ${name}`;
  byId("title").replaceChildren(named(name));
  byId("title").title = report.model;
  byId("facts").append(...tiles(report).map((each) => tile(...each)));
  const choices = (report.delegates ?? []).filter((each) => each.placement).map(choiceOf);
  byId("notes").append(...choices, ...rewritesOf(report.rewrites), ...report.notes.map((note) => element("p", { class: "note" }, note)));
}

/** What was put in equal forms because of delegates' limits: operators before and after, and how often. */
function rewritesOf(rewrites) {
  if (!rewrites?.length) return [];
  const types = (nodes) => nodes.map((node) => node.type).join(", ") || "nothing";
  const counts = new Map();
  for (const { before, after } of rewrites) {
    const text = `${types(before)} \u2192 ${types(after)}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const alike = [...counts].sort((a, b) => b[1] - a[1]).map(([text, count]) => `${whole(count)} \u00d7 ${text}`);
  const rest = alike.length > 5 ? `; and ${whole(alike.length - 5)} more kinds` : "";
  const head = "Put in equal forms that keep the delegate's limits";
  return [element("p", { class: "note" }, `${head}: ${alike.slice(0, 5).join("; ")}${rest}.`)];
}

/** What looking for the fastest plan took; null where none was looked for, or nothing was measured. */
export function calibrationText(calibration) {
  if (!calibration) return null;
  const { preparing_us: making, chosen_us: own, measuring_us: measuring } = calibration;
  const made = `${microseconds(making)} making plans (${microseconds(own)} the one that stays)`;
  return `Found in ${microseconds(making + measuring)}: ${made}, ${microseconds(measuring)} measuring them.`;
}

/** What placement by gain came to, for a delegate, and where the figures come from. */
function choiceOf({ name, placement: p }) {
  const times = [
    `all on the CPU ${microseconds(p.cpu_us)}`,
    `all that '${name}' claims on it ${microseconds(p.claimed_us)}`,
    `as chosen ${microseconds(p.chosen_us)}`,
  ];
  const sources = `CPU: ${p.host_source}, device: ${p.device_source}, transfers: ${p.transfer_source}`;
  return element("p", { class: "choice" }, `One kernel after the other: ${times.join(", ")} (${sources}).`);
}

function tile(value, label, more, title = null) {
  const head = element("div", {}, element("b", {}, value), " ", element("span", {}, label));
  return element("div", { class: "tile", title }, head, more ? element("small", {}, more) : null);
}

/** What a verdict says: value and label of its tile. */
const PAYS = { yes: ["yes", "it pays"], no: ["no", "it does not pay"], maybe: ["too close", "to say if it pays"] };

function tiles(report) {
  const share = percent(report.kernels_delegated, report.kernels_total);
  const found = [
    [beginning(report.delegate, 40), "delegate"],
    [share, "delegated", `${whole(report.kernels_delegated)} of ${plural(report.kernels_total, "kernel")}`],
    [whole(report.subgraphs.length), report.subgraphs.length === 1 ? "subgraph" : "subgraphs", bound(report)],
    [bytes(report.boundary_bytes), "boundary", "per prediction"],
  ];
  const time = report.estimated_us ?? null;
  if (time !== null) found.push([microseconds(time), "in subgraphs", "an estimate, not measured"]);
  if (report.verdict) found.push([...PAYS[report.verdict.pays], pays(report.verdict), report.verdict.text]);
  return found;
}

/** How much of the CPU's time is delegated, and what comes of it. */
function pays({ host_us: host, delegated_us: delegated, together_us: together, source }) {
  const share = host ? `${Math.round((100 * delegated) / host)} % of the CPU's ${microseconds(host)} are delegated` : "";
  return `${share}${(together ?? null) === null ? "" : `; ${microseconds(together)} in all`} (${source})`;
}

function bound(report) {
  if (!report.subgraphs.length) return "nothing is delegated";
  const fewest = report.minimum_subgraphs;
  if (report.subgraphs.length <= fewest) {
    return `the fewest possible${report.delegates?.length > 1 ? " for each delegate in its turn" : ""}`;
  }
  const asked = splitting(report.options ?? {});
  if (!asked.length) return `an order with ${whole(fewest)} exists`;
  return `${whole(fewest)} would do without ${asked.join(" and ")}`;
}

/** The options that were given and that ask for more subgraphs than are needed. */
function splitting({ connected, groups, max_kernels_per_subgraph: most }) {
  const limit = (most ?? null) === null ? null : `max_kernels_per_subgraph=${most}`;
  return [connected && "connected", groups?.length && "groups", limit].filter(Boolean);
}

/** Whole percent, but neither all nor nothing where it is not. */
function percent(part, all) {
  if (!all || !part || part === all) return part && part === all ? "100 %" : "0 %";
  return part / all < 0.01 ? "< 1 %" : `${Math.min(Math.round((100 * part) / all), 99)} %`;
}
