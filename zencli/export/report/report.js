"use strict";
for (const chart of document.querySelectorAll("[data-points]")) {
  const points = JSON.parse(chart.dataset.points);
  const rows = chart.dataset.along === "y";
  const drawing = chart.querySelector("svg");
  const reading = chart.querySelector(".reading");
  const { width, height } = drawing.viewBox.baseVal;
  const cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
  cursor.setAttribute("class", "cursor");
  const put = (values) => {
    for (const [name, value] of Object.entries(values)) cursor.setAttribute(name, value);
  };
  put(rows ? { x1: 0, x2: width } : { y1: 0, y2: height - 22 });
  let at = -1;
  const show = (index) => {
    at = Math.max(0, Math.min(points.length - 1, index));
    const [place, text] = points[at];
    put(rows ? { y1: place + 8, y2: place + 8 } : { x1: place, x2: place });
    drawing.append(cursor);
    reading.textContent = text;
  };
  const steps = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 };
  if (rows) Object.assign(steps, { ArrowDown: 1, ArrowUp: -1 });
  chart.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (step) show(at + step);
    else if (event.key === "Home") show(0);
    else if (event.key === "End") show(points.length - 1);
    else return;
    event.preventDefault();
  });
  chart.addEventListener("pointermove", (event) => {
    const bounds = drawing.getBoundingClientRect();
    const scale = width / bounds.width;
    const here = scale * (rows ? event.clientY - bounds.top : event.clientX - bounds.left);
    let nearest = 0;
    points.forEach(([place], index) => {
      if (Math.abs(place - here) < Math.abs(points[nearest][0] - here)) nearest = index;
    });
    show(nearest);
  });
}
