// Makes the page's script, styles and licences: `npm ci && npm run build [-- FOLDER]`.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? join(here, "../../lite_delegate/report/html/assets"));

// What is bundled; where each licence is, and where its source is to be had.
const BUNDLED = [
  { name: "cytoscape", licence: "LICENSE", terms: "MIT", source: "https://github.com/cytoscape/cytoscape.js" },
  { name: "elkjs", licence: "LICENSE.md", terms: "EPL-2.0, unmodified", source: "https://github.com/kieler/elkjs" },
];

async function licences() {
  const parts = BUNDLED.map(async ({ name, licence, terms, source }) => {
    const folder = join(here, "node_modules", name);
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const text = (await readFile(join(folder, licence), "utf8")).trim();
    return `${name} ${version} (${terms}), source: ${source}\n\n${text}\n`;
  });
  return (await Promise.all(parts)).join(`\n${"-".repeat(80)}\n\n`);
}

await mkdir(output, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { report: "src/main.js" },
  outdir: output,
  bundle: true,
  minify: true,
  format: "iife",
  platform: "browser",
  target: ["chrome109", "firefox115", "safari16"],
  legalComments: "none", // LICENSES.txt has them whole
  loader: { ".min.js": "text" }, // the layout's worker, which the page starts from this text
  logLevel: "warning",
});
await writeFile(join(output, "LICENSES.txt"), await licences());
