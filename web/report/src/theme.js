/** Light and dark: what the system says, until the user says otherwise. The drawing's colours are here as well. */

const HUES = [212, 152, 278, 188, 322, 98, 245];

/** The colours of the n-th region, which come round again after some. */
export const hueOf = (index) => HUES[index % HUES.length];
export const HUE_COUNT = HUES.length;

const dark = window.matchMedia("(prefers-color-scheme: dark)");
let chosen = null;

export const isDark = () => (chosen === null ? dark.matches : chosen === "dark");

/** Calls back whenever the colours change. */
export function onTheme(button, changed) {
  button.addEventListener("click", () => {
    chosen = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    changed();
  });
  dark.addEventListener("change", () => chosen === null && changed());
}

/** The drawing's colours. */
export function colours() {
  const night = isDark();
  const region = (hue) => ({
    area: night ? `hsl(${hue}, 45%, 18%)` : `hsl(${hue}, 75%, 95%)`,
    fill: night ? `hsl(${hue}, 38%, 29%)` : `hsl(${hue}, 72%, 86%)`,
    line: night ? `hsl(${hue}, 50%, 58%)` : `hsl(${hue}, 50%, 46%)`,
    text: night ? `hsl(${hue}, 60%, 80%)` : `hsl(${hue}, 65%, 28%)`,
  });
  return night ? { ...NIGHT, regions: HUES.map(region) } : { ...DAY, regions: HUES.map(region) };
}

const DAY = {
  text: "#1c2430",
  cpu: "#f1f0ee",
  cpuLine: "#8d8a86",
  pill: "#ffffff",
  edge: "#8b98a7",
  back: "#ffffff",
  proof: "#d6224f",
  boundary: "#d97706",
  chosen: "#0b5cad",
};

const NIGHT = {
  text: "#e8edf2",
  cpu: "#33363b",
  cpuLine: "#8f9299",
  pill: "#14181d",
  edge: "#6f7d8c",
  back: "#14181d",
  proof: "#ff5c86",
  boundary: "#f6ad3b",
  chosen: "#6db3ff",
};
