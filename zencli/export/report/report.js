"use strict";
for (const chart of document.querySelectorAll("[data-columns]")) {
  const columns = JSON.parse(chart.dataset.columns);
  const drawing = chart.querySelector("svg");
  const reading = chart.querySelector(".reading");
  const height = drawing.viewBox.baseVal.height;
  const cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
  cursor.setAttribute("class", "cursor");
  cursor.setAttribute("y1", 0);
  cursor.setAttribute("y2", height - 22);
  let at = -1;
  const show = (index) => {
    at = Math.max(0, Math.min(columns.length - 1, index));
    const [x, text] = columns[at];
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
    drawing.append(cursor);
    reading.textContent = text;
  };
  const steps = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 };
  chart.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (step) show(at + step);
    else if (event.key === "Home") show(0);
    else if (event.key === "End") show(columns.length - 1);
    else return;
    event.preventDefault();
  });
  chart.addEventListener("pointermove", (event) => {
    const bounds = drawing.getBoundingClientRect();
    const x = ((event.clientX - bounds.left) / bounds.width) * drawing.viewBox.baseVal.width;
    let nearest = 0;
    columns.forEach(([place], index) => {
      if (Math.abs(place - x) < Math.abs(columns[nearest][0] - x)) nearest = index;
    });
    show(nearest);
  });
}
