/** What nodes can be colored by beside the device: figures of the report, where it has them. */

import { microseconds } from "./dom.js";

/** An error as people read it: noise over signal as a signal-to-noise ratio in dB. */
export function decibels(noise) {
  if (noise === 0) return "exact";
  return noise === Infinity ? "nothing left" : `${(-20 * Math.log10(noise)).toFixed(0)} dB`;
}

/** What was compared, in words. */
export const SCOPES = { kernel: "by itself", stretch: "of a few nodes together", subgraph: "of its subgraph as a whole" };

/** The errors of a report, by graph and name of their nodes: noise over signal, infinite where nothing is left. */
export function errorsOf(report) {
  const keyed = (report.errors ?? []).map((error) => [keyOf(error.graph, error.node), { ...error, noise: error.noise ?? Infinity }]);
  const errors = new Map(keyed);
  return ({ record }) => errors.get(keyOf(record.graph ?? "", record.name)) ?? null;
}

const keyOf = (graph, name) => JSON.stringify([graph, name]);

/** Figures that nodes have; of a layer it is what `all` makes of them. */
export function figuresOf(nodes, errorOf) {
  const found = [
    {
      key: "time",
      head: "CPU time",
      title: "of the node on the CPU: estimated from shapes, unless it was measured",
      one: ({ record }) => record.host_us ?? null,
      all: (values) => values.reduce((sum, value) => sum + value, 0),
      show: microseconds,
    },
    {
      key: "error",
      head: "own error",
      title: "signal-to-noise ratio in dB of the delegate against the reference kernels on the same inputs; of a layer the worst",
      one: (node) => errorOf(node)?.noise ?? null,
      all: (values) => Math.max(...values),
      show: decibels,
    },
  ];
  return found.filter(({ one }) => nodes.some((node) => one(node) !== null)).map(({ one, all, ...rest }) => ({ ...rest, of: over(one, all) }));
}

/** A figure of a node, a layer or a part of one; null where no node in it has one. */
const over = (one, all) => (thing) => {
  const values = (thing.members ?? [thing]).map(one).filter((value) => value !== null);
  return values.length ? all(values) : null;
};
