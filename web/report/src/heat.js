/** Colors of nodes by a figure: a scale from pale yellow to dark red, in equal steps of the figure's logarithm. */

const WIDEST = 1000; // times that the largest figure is the smallest one that has a color of its own
const STEPS = 9;

/** A scale over figures, of which some may be infinite: its ends, and the colors of a figure. */
export function scaleOf(figures) {
  const finite = figures.filter((figure) => figure > 0 && figure < Infinity);
  const largest = Math.max(...finite);
  const least = finite.length ? Math.max(Math.min(...finite), largest / WIDEST) : Math.min(...figures);
  const shareOf = (figure) => {
    if (figure === Infinity) return 1;
    return figure > least ? Math.log(figure / least) / Math.log(largest / least) : 0;
  };
  return { least, most: Math.max(...figures), of: (figure) => colourOf(shareOf(figure)) };
}

/** Background and text. */
const colourOf = (share) => ({
  fill: `hsl(${Math.round(54 - 48 * share)}, 88%, ${Math.round(88 - 52 * share)}%)`,
  text: share > 0.55 ? "#ffffff" : "#1c2430",
});

/** The scale as a CSS gradient. */
export const gradient = () =>
  `linear-gradient(90deg, ${Array.from({ length: STEPS }, (_, at) => colourOf(at / (STEPS - 1)).fill).join(", ")})`;
