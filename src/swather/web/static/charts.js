// Draws the numbers of a page as charts, and keeps drawing as they change.
(() => {
  const figures = [...document.querySelectorAll("[data-chart]")];
  if (!figures.length || !window.uPlot) return;
  const plots = new Map();
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const rate = (value) => value >= 100 ? `${Math.round(value).toLocaleString("en")}/s` : value >= 1 || value === 0 ? `${+value.toFixed(1)}/s` : `${+value.toPrecision(2)}/s`;
  const time = (value) => value < 1 ? `${Math.round(value * 1000)} ms` : value < 60 ? `${+value.toFixed(1)} s` : `${Math.round(value / 60)} min`;
  const shown = (value, unit) => value == null ? "–" : unit === "s" ? time(value) : rate(value);
  const tick = (value, unit) => unit === "s" ? time(value) : `${+value.toPrecision(3)}/s`;
  const clock = (at) => new Date(at * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

  // The first series is at the bottom, so the sums are drawn from the top down.
  const columns = (at, chart) => {
    if (!chart.stacked) return [at, ...chart.series.map((each) => each.values)];
    const sums = [];
    chart.series.forEach((each, i) => sums.push(each.values.map((value, j) => (value || 0) + (i ? sums[i - 1][j] : 0))));
    return [at, ...sums.reverse()];
  };

  const say = (held, at) => {
    const { chart, key } = held;
    const i = at == null ? chart.series[0]?.values.length - 1 : at;
    held.when.textContent = at == null ? "" : clock(held.at[i]);
    chart.series.forEach((each, n) => { key.children[n].lastChild.textContent = shown(each.values[i], chart.unit); });
  };

  const make = (figure, chart, at) => {
    const box = figure.querySelector(".plot"), key = figure.querySelector("[data-key]");
    const held = { chart, at, key, when: figure.querySelector("[data-when]"), names: chart.series.map((each) => each.name).join() };
    key.replaceChildren(...chart.series.map((each) => {
      const item = document.createElement("li"), swatch = document.createElement("span"), value = document.createElement("b");
      swatch.className = `swatch s-${each.state}`;
      item.append(swatch, `${each.name} `, value);
      return item;
    }));
    box.replaceChildren();
    const drawn = chart.stacked ? [...chart.series].reverse() : chart.series;
    const axis = { stroke: () => colour("--muted"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    held.plot = new uPlot({
      width: box.clientWidth, height: box.clientHeight, padding: [8, 12, 0, 0],
      legend: { show: false }, cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { y: { range: (_, low, high) => [0, high > 0 ? high * 1.1 : 1] } },
      axes: [{ ...axis, grid: { show: false }, size: 20, space: 80, ...(at.at(-1) - at[0] < 240 ? {} : { incrs: [60, 300, 600, 1800, 3600, 21600, 86400] }), values: (_, all) => all.map((each) => clock(each).slice(0, at.at(-1) - at[0] < 240 ? 8 : 5)) },
        { ...axis, size: 56, space: 32, values: (_, all) => all.map((each) => tick(each, chart.unit)) }],
      series: [{}, ...drawn.map((each) => ({
        stroke: () => colour(`--${each.state}${chart.stacked ? "-fill" : ""}`), width: chart.stacked ? 1 : 2,
        ...(chart.stacked ? { fill: () => colour(`--${each.state}-fill`) } : {}), points: { show: false }, spanGaps: true,
      }))],
      hooks: { setCursor: [(plot) => say(held, plot.cursor.idx)] },
    }, columns(at, chart), box);
    return held;
  };

  const draw = () => {
    const source = document.querySelector("[data-points]");
    if (!source) return;
    const { at, charts } = JSON.parse(source.dataset.points);
    for (const figure of figures) {
      const chart = charts.find((each) => each.key === figure.dataset.chart);
      const has = chart && at.length > 1 && chart.series.some((each) => each.values.some((value) => value));
      figure.classList.toggle("bare", !has);
      if (!has) { plots.get(figure)?.plot.destroy(); plots.delete(figure); figure.querySelector("[data-key]").replaceChildren(); continue; }
      figure.querySelector(".plot").setAttribute("aria-label", `${chart.title}, at its end: ${chart.series.map((each) => `${each.name} ${shown(each.values.at(-1), chart.unit)}`).join(", ")}`);
      let held = plots.get(figure);
      if (!held || held.names !== chart.series.map((each) => each.name).join()) { held?.plot.destroy(); held = make(figure, chart, at); plots.set(figure, held); }
      else { held.chart = chart; held.at = at; held.plot.setData(columns(at, chart)); }
      say(held, held.plot.cursor.left >= 0 ? held.plot.cursor.idx : null);
    }
  };

  const fit = () => plots.forEach(({ plot }, figure) => { const box = figure.querySelector(".plot"); plot.setSize({ width: box.clientWidth, height: box.clientHeight }); });
  const repaint = () => plots.forEach(({ plot }) => plot.redraw(false, true));
  document.addEventListener("swather:swapped", (event) => { if (event.target.querySelector("[data-points]")) draw(); });
  addEventListener("resize", fit);
  addEventListener("swather:theme", repaint);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  draw();
})();
