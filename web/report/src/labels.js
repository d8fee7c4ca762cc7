/** What people read for nodes: the names and types that the model's file has. */

const MOVEMENT = "Transpose";

/**
 * The words for nodes, by their own names, as text reports have them: `{name, type}`.
 *
 * A fused node goes by the first that it was in the file, and how many more. Where several come from the same ones, that
 * goes for the only one that does more than transpose; the others, and nodes of no file, go by their own names.
 */
export function labelsOf(records) {
  const alike = new Map();
  for (const record of records) {
    const name = shortName(sourcesOf(record));
    const { count, working } = alike.get(name) ?? { count: 0, working: 0 };
    alike.set(name, { count: count + 1, working: working + (record.type !== MOVEMENT) });
  }
  return new Map(records.map((record) => [record.name, labelOf(record, alike)]));
}

function labelOf(record, alike) {
  const sources = sourcesOf(record);
  const name = shortName(sources);
  const { count, working } = alike.get(name);
  const stands = count === 1 || (working === 1 && record.type !== MOVEMENT);
  if (!sources.length || !stands) return { name: record.name, type: record.type };
  return { name, type: [...new Set(sources.map((source) => source.type))].join(", ") };
}

/** What a node was in the model's file; reports of earlier versions do not say. */
export const sourcesOf = (record) => record.sources ?? [];

/** A node of the file in a line: where it is, its name, its type. */
export const sourceText = (source) => `${fullName(source)} (${source.type})`;

const fullName = (source) => [...source.path, source.name].join("/");

function shortName(sources) {
  if (!sources.length) return "";
  return fullName(sources[0]) + (sources.length > 1 ? ` (+${sources.length - 1})` : "");
}
