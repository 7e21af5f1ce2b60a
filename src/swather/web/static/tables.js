// Rows that are ticked: how many, all of a page, and what is asked about them.
(() => {
  const ticks = (form) => [...form.querySelectorAll("input[data-select]")];

  const tell = (form) => {
    const all = ticks(form), ticked = all.filter((each) => each.checked).length;
    const head = form.querySelector("[data-select-all]"), said = form.querySelector("[data-ticked]");
    if (head) { head.hidden = false; head.checked = all.length > 0 && ticked === all.length; head.indeterminate = ticked > 0 && ticked < all.length; }
    if (said) said.textContent = `${ticked} ticked`;
    const none = !ticked && form.elements.which?.value === "ticked";
    form.querySelector(".selection")?.classList.toggle("idle", none);
    form.querySelectorAll("button[name=verb]").forEach((button) => { button.disabled = none; });
  };
  const tellAll = () => document.querySelectorAll("form.ticking").forEach(tell);

  document.addEventListener("change", (event) => {
    const form = event.target.closest("form.ticking");
    if (!form) return;
    if (event.target.matches("[data-select-all]")) ticks(form).forEach((each) => { each.checked = event.target.checked; });
    if (event.target.matches("[data-select], [data-select-all]") && form.elements.which) form.elements.which.value = "ticked";
    tell(form);
  });

  // The question is asked over the page, as for a link that asks.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form.ticking[data-dialog]")) return;
    event.preventDefault();
    const given = new URLSearchParams(new FormData(form, event.submitter));
    if (given.get("which") === "all") given.delete("task");
    const link = Object.assign(document.createElement("a"), { href: `${form.action}?${given}`, hidden: true });
    link.dataset.dialog = "";
    document.body.append(link);
    link.click();
    link.remove();
  });

  document.addEventListener("swather:swapped", tellAll);
  tellAll();
})();
