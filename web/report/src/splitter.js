/** The bar between drawing and tables: dragged, or moved with the arrow keys. */

const STEP = 40;

export function splitter(bar) {
  const side = bar.nextElementSibling;
  const resize = (width) => {
    const most = document.documentElement.clientWidth - 320;
    const wanted = Math.round(Math.min(Math.max(width, 300), most));
    side.style.setProperty("--side", `${wanted}px`);
    bar.setAttribute("aria-valuenow", Math.round((100 * wanted) / document.documentElement.clientWidth));
  };
  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  bar.addEventListener("pointermove", (event) => {
    if (bar.hasPointerCapture(event.pointerId)) resize(document.documentElement.clientWidth - event.clientX);
  });
  bar.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    if (way) resize(side.offsetWidth + way);
  });
}
