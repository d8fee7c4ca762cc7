/** What nodes can be colored by beside the device: figures of the report, where it has them. */

import { microseconds } from "./dom.js";

/** Figures that nodes have; of a layer it is what `all` makes of them. */
export function figuresOf(nodes) {
  const found = [
    {
      key: "time",
      head: "CPU time",
      title: "of the node on the CPU: estimated from shapes, unless it was measured",
      one: ({ record }) => record.host_us ?? null,
      all: (values) => values.reduce((sum, value) => sum + value, 0),
      show: microseconds,
    },
  ];
  return found.filter(({ one }) => nodes.some((node) => one(node) !== null)).map(({ one, all, ...rest }) => ({ ...rest, of: over(one, all) }));
}

/** A figure of a node, a layer or a part of one; null where no node in it has one. */
const over = (one, all) => (thing) => {
  const values = (thing.members ?? [thing]).map(one).filter((value) => value !== null);
  return values.length ? all(values) : null;
};
