// Keeps the parts of a page up to date, and never touches what a person is working in.
(() => {
  const main = document.querySelector("[data-live]");
  const state = document.getElementById("live-state"), said = document.getElementById("live-said");
  if (!main || !state) return;
  const BOXES = ".table-box, pre";
  const waiting = new Map();
  let heardAt = Date.now(), source = null, away = "";

  // Nothing changes under a question. A part in which somebody selects, types or has the focus
  // stays as it is until that is over.
  const isBusy = (region) => {
    if (document.querySelector("dialog[open], #confirm")) return true;
    if (region.querySelector("input[data-select]:checked, details[open][data-keep]")) return true;
    const focused = document.activeElement;
    if (focused !== region && region.contains(focused) && !focused.matches(BOXES)) return true;
    const chosen = getSelection();
    return !!chosen && !chosen.isCollapsed && region.contains(chosen.anchorNode);
  };

  const put = (region, html) => {
    const boxes = [...region.querySelectorAll(BOXES)].map((box) => [box.scrollLeft, box.scrollTop, box === document.activeElement]);
    const open = [...region.querySelectorAll("details")].map((each) => each.open);
    region.innerHTML = html;
    region.querySelectorAll("details").forEach((each, i) => { if (open[i]) each.open = true; });
    region.querySelectorAll(BOXES).forEach((box, i) => {
      const [left, top, focused] = boxes[i] || [0, 0, false];
      if (left || top) box.scrollTo(left, top);
      if (focused) box.focus({ preventScroll: true });
    });
    region.dispatchEvent(new CustomEvent("swather:swapped", { bubbles: true }));
  };

  const show = (id, html) => {
    const region = document.getElementById(id);
    if (!region) return;
    if (isBusy(region)) waiting.set(id, html);
    else { waiting.delete(id); put(region, html); }
  };

  // What is read aloud changes with the state, not with its age.
  const say = (word, kind, detail) => {
    if (state.textContent !== word) state.textContent = word;
    if (state.dataset.state !== kind) said.textContent = kind;
    state.dataset.state = kind;
    state.title = detail || "";
  };

  const age = (seconds) => seconds < 60 ? `${seconds}s` : seconds < 3600 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 3600)}h`;

  const listen = () => {
    if (source || document.hidden) return;
    source = new EventSource(main.dataset.live);
    source.addEventListener("region", (event) => { const part = JSON.parse(event.data); show(part.id, part.html); });
    source.addEventListener("tick", () => { heardAt = Date.now(); away = ""; say("● live", "live", "The numbers are at most a second old."); });
    source.addEventListener("away", (event) => { away = JSON.parse(event.data).detail; });
  };

  const look = () => {
    for (const [id, html] of [...waiting]) show(id, html);
    const seconds = Math.round((Date.now() - heardAt) / 1000);
    if (seconds >= 3) say(`○ ${away ? "database away" : "offline"}, ${age(seconds)} old`, "offline", away || "The server does not answer; it is asked again.");
    // A browser gives up after some answers; we do not.
    if (source && source.readyState === EventSource.CLOSED) { source = null; setTimeout(listen, 2000); }
  };

  // A page that nobody sees costs nothing.
  const visit = () => {
    if (document.hidden) { if (source) source.close(); source = null; }
    else if (!source) { heardAt = Date.now(); listen(); }
  };
  document.addEventListener("visibilitychange", visit);
  addEventListener("pagehide", () => source && source.close());
  addEventListener("pageshow", (event) => { if (event.persisted) { source = null; visit(); } });
  visit();
  setInterval(look, 1000);
})();
