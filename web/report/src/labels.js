/** What people read for nodes: the names and types that the model's file has. */

const MOVEMENT = "Transpose";

/**
 * The words for nodes, by their own names, as text reports have them: `{name, type}`.
 *
 * A fused node goes by the first that it was in the file, and how many more. Nodes that come from the same ones, nodes
 * that only transpose for another one, and nodes of no file go by their own names.
 */
export function labelsOf(records) {
  const users = new Map();
  const working = new Map();
  const count = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const record of records) {
    for (const source of sourcesOf(record)) count(users, JSON.stringify(source));
    if (record.type !== MOVEMENT) count(working, JSON.stringify(sourcesOf(record)));
  }
  return new Map(records.map((record) => [record.name, labelOf(record, users, working)]));
}

function labelOf(record, users, working) {
  const sources = sourcesOf(record);
  const isAlone = () => sources.every((source) => users.get(JSON.stringify(source)) === 1);
  const stands = record.type === MOVEMENT ? isAlone() : working.get(JSON.stringify(sources)) === 1;
  if (!sources.length || !stands) return { name: record.name, type: record.type };
  return { name: shortName(sources), type: [...new Set(sources.map((source) => source.type))].join(", ") };
}

/** What a node was in the model's file; reports of earlier versions do not say. */
export const sourcesOf = (record) => record.sources ?? [];

/** A node of the file in a line: where it is, its name, its type. */
export const sourceText = (source) => `${fullName(source)} (${source.type})`;

const fullName = (source) => [...source.path, source.name].join("/");

const shortName = (sources) => fullName(sources[0]) + (sources.length > 1 ? ` (+${sources.length - 1})` : "");
