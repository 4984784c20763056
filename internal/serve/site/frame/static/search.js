// The search boxes, the tabs, and the buttons that copy code. Each box asks /api/v1/search as one types and lists what it finds.
// Enter leads to the page of results and never to an organization by itself; a form
// with data-to has no such page, so it lists what it found, and its list leads there
// instead of to the page of the organization. In a form with data-enter, Enter lets the server find who is meant.
(() => {
  // On a phone the tabs of a page are wider than the screen: the one that is open comes into sight.
  for (const tab of document.querySelectorAll(".tabs [aria-current]")) tab.parentNode.scrollLeft = tab.offsetLeft - (innerWidth - tab.offsetWidth) / 2;

  // The steps for a first visit stay closed once they were closed. A browser that keeps nothing shows them again.
  const steps = document.getElementById("first-visit");
  if (steps) try {
    if (localStorage.getItem("first-visit") === "closed") steps.open = false;
    steps.addEventListener("toggle", () => localStorage.setItem("first-visit", steps.open ? "open" : "closed"));
  } catch { /* it may not keep anything */ }

  // What a pre holds can be copied with one button, where the browser lets us copy.
  if (navigator.clipboard) for (const pre of document.querySelectorAll("main pre")) {
    const button = document.createElement("button"), said = document.createElement("span");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    said.className = "unseen";
    said.role = "status";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent.trim());
        button.textContent = said.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(pre);
        button.textContent = said.textContent = "Selected: copy it by hand";
      }
      setTimeout(() => { button.textContent = "Copy"; said.textContent = ""; }, 2500);
    });
    pre.before(button, said);
  }

  const boxes = [...document.querySelectorAll("form[data-find]")];

  // A slash brings one to the box, unless one is writing.
  document.addEventListener("keydown", (e) => {
    const at = e.target;
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
    if (at.isContentEditable || at.closest?.("input, textarea, select")) return;
    const input = (boxes.find((f) => !f.dataset.to) || boxes[0])?.querySelector("input");
    if (input) { e.preventDefault(); input.focus(); input.select(); }
  });

  for (const form of boxes) {
    const input = form.querySelector("input[type=search]");
    const list = form.querySelector(".found");
    const status = form.querySelector(".status");
    const to = form.dataset.to;
    let asked = 0, timer = 0;

    // What was asked for and is still on its way must not bring the list back.
    const hide = () => { clearTimeout(timer); asked++; list.hidden = true; status.textContent = ""; };

    const show = (results) => {
      list.replaceChildren(...results.slice(0, 8).map((r) => {
        const a = document.createElement("a");
        a.href = to ? to + r.ein : r.href;
        const add = (tag, cls, text) => { const e = document.createElement(tag); if (cls) e.className = cls; e.textContent = text; a.append(e); };
        add("span", "", r.display_name);
        add("small", "ein", r.ein.slice(0, 2) + "-" + r.ein.slice(2));
        add("small", "", [r.type, r.location, r.cause].filter(Boolean).join(" · "));
        const li = document.createElement("li");
        li.append(a);
        return li;
      }));
      list.hidden = results.length === 0;
    };

    const ask = async () => {
      clearTimeout(timer);
      const q = input.value.trim(), turn = ++asked;
      if (q.length < 2) { hide(); return; }
      try {
        const answer = await fetch("/api/v1/search?q=" + encodeURIComponent(q) + "&limit=8", { headers: { accept: "application/json" } });
        const body = await answer.json();
        if (turn !== asked) return;
        if (!answer.ok) throw new Error(body.message);
        show(body.results);
        // The list shows this; the status is for those who hear the page.
        const found = Math.min(body.results.length, 8);
        status.textContent = found === 0 ? "No organization by that name in the filings read." + (to ? " If a list has it, its EIN finds it." : " Press Enter to search by words and meaning.") : found === 1 ? "1 organization found" : found + " organizations found";
      } catch {
        if (turn === asked) { hide(); status.textContent = "The search could not be reached. Please try again."; }
      }
    };

    input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 120); });
    input.addEventListener("keydown", (e) => {
      if (e.key === "Escape") hide();
      if (e.key === "ArrowDown" && !list.hidden) { e.preventDefault(); list.querySelector("a").focus(); }
    });
    list.addEventListener("keydown", (e) => {
      const links = [...list.querySelectorAll("a")], at = links.indexOf(document.activeElement);
      if (e.key === "ArrowDown") { e.preventDefault(); links[Math.min(at + 1, links.length - 1)].focus(); }
      if (e.key === "ArrowUp") { e.preventDefault(); (links[at - 1] || input).focus(); }
      if (e.key === "Escape") { hide(); input.focus(); }
    });
    // The list lies over the page: a click beside it puts it away, and so does Tab out of it; a click into the box
    // brings it back.
    document.addEventListener("click", (e) => { if (!form.contains(e.target)) hide(); });
    form.addEventListener("focusout", (e) => { if (e.relatedTarget && !form.contains(e.relatedTarget)) hide(); });
    input.addEventListener("click", () => { if (list.hidden) ask(); });
    form.addEventListener("submit", (e) => {
      if (form.hasAttribute("data-enter")) return;
      if (!to) { if (!input.value.trim()) { e.preventDefault(); input.focus(); } return; }
      if (/^[\d .-]+$/.test(input.value.trim())) return; // an EIN: the server knows where it leads
      e.preventDefault();
      ask();
    });
  }
})();
