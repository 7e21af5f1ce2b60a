// Keys, the palette, dialogs, copying, the theme: what a page can do besides showing.
(() => {
  const KEYS = [["Ctrl K", "go to a run, a task, a worker, a page"], ["?", "these keys"], ["/", "filter"], ["j k", "next and previous row"], ["Enter", "open the row"], ["x", "select the row"], ["g r", "runs"], ["g e", "errors"], ["g w", "workers"], ["Esc", "close"]];
  const GO = { r: "/", e: "/errors", w: "/workers", l: "/lanes", p: "/proxies", i: "/results", m: "/media", s: "/schedules" };
  const make = (tag, given = {}, ...inside) => { const made = Object.assign(document.createElement(tag), given); made.append(...inside); return made; };
  const ready = (root) => root.querySelectorAll("[hidden][data-copy], [hidden][data-palette], [hidden][data-theme-switch]").forEach((each) => { each.hidden = false; });

  const dialog = (id, label) => {
    const made = make("dialog", { id });
    made.setAttribute("aria-label", label);
    made.addEventListener("close", () => made.remove());
    made.addEventListener("click", (event) => { if (event.target === made) made.close(); });
    document.body.append(made);
    return made;
  };

  // The server asks; its question is shown over the page.
  const ask = async (link) => {
    const answer = await fetch(link.href, { headers: { accept: "text/html" } }).catch(() => null);
    if (!answer) { location.href = link.href; return; }
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("#confirm");
    if (!found) { location.href = link.href; return; }
    if (document.querySelector("dialog[open]")) return;
    const shown = dialog("asked", found.querySelector("h1")?.textContent || link.textContent);
    shown.append(document.adoptNode(found));
    shown.showModal();
  };

  const showKeys = () => {
    const list = make("dl", { className: "facts" });
    for (const [key, does] of KEYS) list.append(make("dt", {}, make("kbd", { textContent: key })), make("dd", { textContent: does }));
    const shown = dialog("keys", "Keys");
    shown.append(make("h2", { textContent: "Keys" }), list);
    shown.showModal();
  };

  const showPalette = () => {
    const shown = dialog("palette", "Go to");
    const input = make("input", { type: "search", placeholder: "Run, task number, worker, setting, page…", autocomplete: "off" });
    const list = make("ul", { id: "palette-list" });
    input.setAttribute("aria-label", "Go to"); input.setAttribute("role", "combobox"); input.setAttribute("aria-controls", list.id); input.setAttribute("aria-expanded", "true");
    list.setAttribute("role", "listbox"); list.setAttribute("aria-label", "Places");
    let at = 0, asked = 0, looking = null;
    const mark = (to) => {
      const rows = [...list.children];
      at = Math.max(0, Math.min(to, rows.length - 1));
      rows.forEach((row, i) => row.setAttribute("aria-selected", String(i === at)));
      rows[at]?.scrollIntoView({ block: "nearest" });
      if (rows[at]) input.setAttribute("aria-activedescendant", rows[at].id);
    };
    const go = (row) => { if (!row) return; if (row.dataset.act === "theme") { shown.close(); switchTheme(); } else if (row.dataset.act === "keys") { shown.close(); showKeys(); } else location.href = row.dataset.href; };
    const look = async () => {
      const mine = ++asked;
      const answer = await fetch(`/palette?q=${encodeURIComponent(input.value)}`).then((each) => each.json()).catch(() => []);
      if (mine !== asked) return;
      list.replaceChildren(...answer.map((each, i) => {
        const row = make("li", { id: `place-${i}` }, make("span", { textContent: each.name }), make("small", { textContent: each.kind }));
        row.setAttribute("role", "option"); row.dataset.href = each.href; row.dataset.act = each.act || "";
        row.addEventListener("click", () => go(row));
        return row;
      }));
      mark(0);
    };
    input.addEventListener("input", () => { looking = look(); });
    input.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) { event.preventDefault(); mark(at + step); }
      if (event.key === "Enter") { event.preventDefault(); looking.then(() => go(list.children[at])); }
    });
    shown.append(input, list);
    shown.showModal();
    looking = look();
  };

  const switchTheme = () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
    dispatchEvent(new Event("swather:theme"));
  };

  // Rows are numbered anew after each swap: the place stays.
  let place = -1;
  const rows = () => [...document.querySelectorAll("main tbody tr")].filter((row) => row.offsetParent);
  const moveTo = (to) => {
    const all = rows();
    if (!all.length) return;
    place = Math.max(0, Math.min(to, all.length - 1));
    all.forEach((row, i) => row.classList.toggle("at", i === place));
    all[place].scrollIntoView({ block: "nearest" });
  };

  let before = "";
  document.addEventListener("keydown", (event) => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) showPalette();
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
    const last = before;
    before = event.key;
    if (last === "g" && GO[event.key]) { location.href = GO[event.key]; return; }
    const row = rows()[place];
    if (event.key === "?") showKeys();
    else if (event.key === "/") { const field = document.querySelector("[data-filter], .filters input"); if (field) { event.preventDefault(); field.focus(); field.select(); } else { event.preventDefault(); showPalette(); } }
    else if (event.key === "j") moveTo(place + 1);
    else if (event.key === "k") moveTo(place - 1);
    else if (event.key === "x" && row) row.querySelector("input[data-select]")?.click();
    else if (event.key === "Enter" && row && event.target === document.body) row.querySelector("a")?.click();
  });

  // What a value would mean, while it is being chosen.
  let previewing = 0;
  document.addEventListener("input", (event) => {
    const field = event.target.closest("[data-preview]");
    if (!field) return;
    clearTimeout(previewing);
    previewing = setTimeout(async () => {
      const answer = await fetch(`${field.dataset.preview}?${new URLSearchParams({ [field.name]: field.value })}`).catch(() => null);
      const into = document.getElementById(field.dataset.into);
      if (answer?.ok && into) into.innerHTML = await answer.text();
    }, 200);
  });

  document.addEventListener("click", (event) => {
    const copied = event.target.closest("[data-copy]"), asks = event.target.closest("a[data-dialog]");
    if (copied) {
      navigator.clipboard?.writeText(copied.dataset.copy).then(() => { copied.textContent = "Copied"; setTimeout(() => { copied.textContent = "Copy"; }, 1500); copied.blur(); });
    } else if (asks && !event.metaKey && !event.ctrlKey) { event.preventDefault(); ask(asks); }
    else if (event.target.closest("dialog [data-close]")) { event.preventDefault(); event.target.closest("dialog").close(); }
    else if (event.target.closest("[data-palette]")) showPalette();
    else if (event.target.closest("[data-theme-switch]")) switchTheme();
  });
  document.addEventListener("swather:swapped", (event) => { ready(event.target); if (place >= 0) rows()[place]?.classList.add("at"); });
  ready(document);

  // On a phone the place where one is may be out of sight, to the right.
  document.querySelectorAll("nav > [aria-current]").forEach((here) => {
    const row = here.parentElement.getBoundingClientRect(), own = here.getBoundingClientRect();
    here.parentElement.scrollLeft += own.left - row.left - (row.width - own.width) / 2;
  });
})();
