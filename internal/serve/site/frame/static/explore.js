"use strict";
// The page works without this. With it, a change of the filters replaces the results in
// the page: the address follows, the focus stays where it is, and a line that only
// screen readers see says what was found. Back and Forward bring the filters and the
// results of their address together.
(() => {
  const form = document.getElementById("filters");
  const box = document.querySelector(".filterbox");
  const narrow = matchMedia("(max-width: 59.99rem)");
  if (!form) return;
  if (box && narrow.matches && sessionStorage.getItem("explore-open") !== "1") box.open = false;
  box?.addEventListener("toggle", () => sessionStorage.setItem("explore-open", box.open ? "1" : "0"));
  const said = document.createElement("p");
  said.className = "unseen";
  said.setAttribute("role", "status");
  document.querySelector("main").append(said);

  // A long list gets a field that leaves only the options with what one types.
  const finders = () => {
    for (const facet of form.querySelectorAll(".facet")) {
      const items = [...facet.querySelectorAll("li")];
      if (items.length < 9) continue;
      const field = document.createElement("input");
      field.type = "search";
      field.id = "find-" + facet.id;
      field.placeholder = "Type to find";
      field.setAttribute("aria-label", "Type to find in the list: " + facet.querySelector("summary b").textContent);
      const left = () => items.filter((li) => !(li.hidden = !li.textContent.toLowerCase().includes(field.value.trim().toLowerCase())));
      field.addEventListener("input", left);
      field.addEventListener("change", (e) => e.stopPropagation());
      field.addEventListener("keydown", (e) => {
        if (e.key !== "Enter") return;
        e.preventDefault();
        const found = left();
        if (found.length === 1) found[0].querySelector("input, a").click();
      });
      facet.querySelector("ul").before(field);
    }
  };
  finders();

  // mark tells a field of the form from all others, also when the form is another.
  const mark = (field) => field.id ? "#" + CSS.escape(field.id) : `[name="${CSS.escape(field.name || "")}"]` + (field.matches("[type=checkbox], [type=radio]") ? `[value="${CSS.escape(field.value)}"]` : "");

  // take puts the filters and the results of another page in the place of ours.
  const take = (page) => {
    const fresh = page.getElementById("filters");
    const at = form.contains(document.activeElement) && document.activeElement.matches("input, select, button, summary") ? document.activeElement : null;
    const typing = at?.matches("input:not([type=checkbox], [type=radio])") ? at.value : null;
    const open = [...form.querySelectorAll("details[open]")].map((d) => d.id);
    const mine = at && (at.matches("summary") ? "#" + at.parentNode.id + " summary" : mark(at));
    const typed = [...form.querySelectorAll("[id^=find-]")].filter((f) => f.value).map((f) => [f.id, f.value]);
    form.replaceChildren(...fresh.childNodes);
    for (const id of open) form.querySelector("#" + id)?.setAttribute("open", "");
    finders();
    for (const [id, value] of typed) {
      const field = document.getElementById(id);
      if (field) { field.value = value; field.dispatchEvent(new Event("input")); }
    }
    const again = mine && form.querySelector(mine);
    if (again) {
      if (typing !== null) again.value = typing;
      again.focus({ preventScroll: true });
    }
    for (const part of [".explore-head", ".found-grants"]) document.querySelector(part).replaceWith(page.querySelector(part));
    document.title = page.title;
    said.textContent = document.querySelector(".explore-head .lead").textContent;
    sharing();
    document.dispatchEvent(new Event("results"));
  };

  let asked;
  const load = async (address, then) => {
    asked?.abort();
    const turn = asked = new AbortController();
    try {
      const answer = await fetch(address, { signal: turn.signal, headers: { accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (turn.signal.aborted) return;
      if (!page.getElementById("filters")) throw new Error("another page");
      take(page);
      then?.(answer.url);
    } catch {
      if (!turn.signal.aborted) location.assign(address);
    }
  };

  // Empty fields are not sent, so that the address is short.
  const apply = (then) => {
    const sent = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    if (!sent.has("near")) sent.delete("within");
    load("/explore?" + sent, (url) => { if (url !== location.href) history.pushState(null, "", url); then?.(); });
  };
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    apply(() => {
      if (!narrow.matches) return;
      box.open = false;
      document.querySelector(".explore-head").scrollIntoView();
    });
  });
  // A box is an answer by itself; on a phone several are ticked before Apply.
  form.addEventListener("change", (e) => {
    if (!narrow.matches && e.target.matches("input[type=checkbox], input[type=radio], select")) apply();
  });
  addEventListener("popstate", () => load(location.href));
  // A page that the browser kept may have boxes that were ticked on the way out.
  addEventListener("pageshow", (e) => { if (e.persisted) load(location.href); });

  const sharing = () => { const share = document.getElementById("share-view"); if (share && navigator.clipboard) share.hidden = false; };
  sharing();
  document.addEventListener("click", async (e) => {
    if (e.target.id !== "share-view") return;
    const status = document.getElementById("share-status");
    try {
      await navigator.clipboard.writeText(location.href.replace(/#.*$/, ""));
      status.textContent = "The link is copied.";
    } catch {
      status.textContent = "The link could not be copied; copy it from the address bar.";
    }
  });
})();
