// The workbench of /sql: sends the query in the editor as the form would, without
// leaving the page, and shows what the page that comes back has of it. The key
// lives in the session of this tab; the queries that were run are kept in this
// browser.
(() => {
  const form = document.getElementById("sql");
  if (!form) return;
  const at = (id) => document.getElementById(id);
  const key = at("api-key"), query = at("query"), run = at("run"), stop = at("stop"), clock = at("clock"), status = at("sql-status");
  const keyPlace = "grantgraph.key", historyPlace = "grantgraph.queries", kept = 50;
  let flight = null; // the request under way

  for (const id of ["sieve", "share", "keys-help"]) at(id).hidden = false;

  function make(tag, name, text) {
    const e = document.createElement(tag);
    if (name) e.className = name;
    if (text !== undefined) e.textContent = text;
    return e;
  }

  // A browser that keeps nothing still runs queries.
  if (key) {
    try { key.value = sessionStorage.getItem(keyPlace) || ""; } catch { /* no storage */ }
    key.addEventListener("input", () => {
      try {
        if (key.value) sessionStorage.setItem(keyPlace, key.value.trim()); else sessionStorage.removeItem(keyPlace);
      } catch { /* no storage */ }
    });
  }

  // type writes over the selection so that the editor's own undo takes it back.
  function type(text) {
    query.focus();
    if (document.execCommand("insertText", false, text)) return;
    query.setRangeText(text, query.selectionStart, query.selectionEnd, "end");
    query.dispatchEvent(new Event("input"));
  }

  function fill(text) {
    if (query.value === text) return;
    query.focus();
    query.select();
    type(text);
    query.setSelectionRange(0, 0);
    query.scrollTop = 0;
  }

  // A link holds the query and the view, never the key. One that is too long for an
  // address is behind the #, which no server sees.
  const linked = () => { try { return new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B")).get("q"); } catch { return null; } };
  const view = () => document.querySelector("#answer [name=view]:checked, #answer [name=view][type=hidden]")?.value || "table";
  function link() {
    const saved = form.querySelector("[name=saved]");
    if (saved && location.pathname === "/sql/" + saved.value && query.value === query.defaultValue) return location.pathname;
    const whole = "/sql?q=" + encodeURIComponent(query.value) + (view() === "table" ? "" : "&view=" + view());
    return whole.length <= 7500 ? whole : "/sql#q=" + encodeURIComponent(query.value);
  }
  const showLink = () => history.replaceState(null, "", link());
  if (linked()) { query.value = linked(); query.dispatchEvent(new Event("input")); }
  addEventListener("hashchange", () => { if (linked()) fill(linked()); });

  for (const a of document.querySelectorAll("a.example")) {
    a.addEventListener("click", (e) => {
      if (e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
      e.preventDefault();
      fill(new URLSearchParams(a.search).get("q"));
      showLink();
      query.focus();
      status.textContent = "The query is in the editor.";
    });
  }

  // Names of the schema become buttons that write them into the editor. Who
  // presses one from the keyboard stays there, for the next column.
  for (const code of document.querySelectorAll("[data-insert]")) {
    const button = make("button", "name", code.dataset.insert);
    button.type = "button";
    button.title = "Write " + code.dataset.insert + " into the editor";
    button.addEventListener("click", (e) => {
      const before = query.value.slice(0, query.selectionStart), after = query.value.slice(query.selectionEnd);
      type((/[\s(.,=<>]$|^$/.test(before) ? "" : " ") + code.dataset.insert + (/^\w/.test(after) ? " " : ""));
      if (e.detail === 0) button.focus();
      status.textContent = code.dataset.insert + " is in the editor.";
    });
    code.replaceWith(button);
  }

  // Indentation has keys of its own: Tab leaves the editor.
  query.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); form.requestSubmit(run); return; }
    if (!e.ctrlKey || e.altKey || e.metaKey || (e.key !== "]" && e.key !== "[")) return;
    e.preventDefault();
    const from = query.value.lastIndexOf("\n", query.selectionStart - 1) + 1;
    const lines = query.value.slice(from, query.selectionEnd);
    const moved = e.key === "]" ? lines.replace(/^/gm, "  ") : lines.replace(/^ {1,2}/gm, "");
    query.setSelectionRange(from, query.selectionEnd);
    type(moved);
    if (lines.includes("\n")) query.setSelectionRange(from, from + moved.length);
  });

  // History: the last queries that were run, newest first, each once.
  function remembered() {
    try {
      const list = JSON.parse(localStorage.getItem(historyPlace) || "[]");
      return Array.isArray(list) ? list.filter((x) => x && typeof x.q === "string" && typeof x.t === "number").slice(0, kept) : [];
    } catch { return []; }
  }
  function keep(list) {
    // Where there is no room, the oldest go.
    for (list = list.slice(0, kept); ; list.pop()) {
      try {
        if (list.length) localStorage.setItem(historyPlace, JSON.stringify(list)); else localStorage.removeItem(historyPlace);
        break;
      } catch { if (!list.length) break; }
    }
    showHistory();
  }
  function showHistory() {
    const list = remembered();
    at("history").hidden = list.length === 0;
    at("history-count").textContent = `(${list.length})`;
    at("history-list").replaceChildren(...list.map((x, i) => {
      const li = make("li"), old = make("button", "old", x.q.replace(/\s+/g, " ").trim().slice(0, 160)), away = make("button", "quiet small", "Delete");
      old.type = away.type = "button";
      old.append(make("small", "", new Date(x.t).toLocaleString("en-US", { dateStyle: "medium", timeStyle: "short" })));
      old.addEventListener("click", () => { fill(x.q); showLink(); status.textContent = "The query is in the editor."; query.scrollIntoView({ block: "nearest" }); });
      away.setAttribute("aria-label", "Delete query " + (i + 1) + " of the history");
      away.addEventListener("click", () => {
        keep(remembered().filter((y) => y.q !== x.q));
        (at("history-list").children[Math.min(i, list.length - 2)]?.querySelector(".quiet") ?? query).focus();
        status.textContent = "Deleted from the history.";
      });
      li.append(old, away);
      return li;
    }));
  }
  at("history-clear").addEventListener("click", () => { keep([]); query.focus(); status.textContent = "The history is empty."; });
  showHistory();

  // Each column of a result can be sorted. What is null is last in both directions.
  function sortable() {
    const table = at("rows");
    if (!table) return;
    const heads = [...table.tHead.rows[0].cells], rows = [...table.tBodies[0].rows];
    const read = (td, number) => {
      if (td.querySelector(".null")) return null;
      return number ? Number(td.textContent.replace(/[$,]/g, "")) : td.textContent;
    };
    heads.forEach((th, i) => {
      const button = make("button", "", th.textContent), number = th.classList.contains("n");
      button.type = "button";
      th.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = th.getAttribute("aria-sort") === (number ? "descending" : "ascending") ? !number : number;
        for (const other of heads) other.removeAttribute("aria-sort");
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        const sign = down ? -1 : 1;
        rows.map((tr) => [read(tr.cells[i], number), tr]).sort(([a], [b]) => {
          if (a === null || b === null) return (a === null) - (b === null);
          return sign * (number ? a - b || 0 : a.localeCompare(b, "en", { numeric: true }));
        }).forEach(([, tr]) => table.tBodies[0].append(tr));
        at("sql-ear").textContent = `Sorted by ${button.textContent}, ${down ? "descending" : "ascending"}.`;
      });
    });
  }
  sortable();

  // The view is part of the link.
  document.addEventListener("change", (e) => { if (e.target.name === "view" && e.target.form === form && location.search) showLink(); });

  const answer = () => at("answer");
  function refuse(message, hint) {
    const problem = make("div", "problem");
    problem.id = "sql-problem";
    problem.setAttribute("role", "alert");
    problem.append(make("b", "", message));
    if (hint) problem.append(make("span", "", hint));
    const view = make("input");
    view.type = "hidden";
    view.name = "view";
    view.setAttribute("form", "sql");
    view.value = document.querySelector("#answer [name=view]:checked, #answer [name=view][type=hidden]")?.value ?? "";
    answer().replaceChildren(problem, view);
    problem.scrollIntoView({ block: "nearest" });
  }

  // show takes the answer out of the page that came. One that has none says
  // something else, such as that the form is too old.
  function show(text, ok) {
    const page = new DOMParser().parseFromString(text, "text/html"), came = page.getElementById("answer");
    if (!came) {
      const title = page.querySelector("main h1"), said = page.querySelector("main p");
      refuse(title ? title.textContent : "The page did not come from this site.", said ? said.textContent : "Check the connection and run it again.");
      return false;
    }
    answer().replaceWith(document.adoptNode(came));
    sortable();
    const line = at("result-line"), left = form.querySelector(".left"), now = page.querySelector("#sql .left");
    if (left && now) left.textContent = now.textContent;
    status.textContent = line ? line.textContent : "";
    if (line) line.hidden = true; // it is said above
    answer().scrollIntoView({ block: "nearest" });
    return ok;
  }

  form.addEventListener("submit", async (e) => {
    if (e.submitter && e.submitter.name === "as") return; // a file, which the browser keeps
    e.preventDefault();
    if (flight) return;
    if (key && !key.value.trim()) { refuse("A key is needed.", "Sign in, or put the key of a paid plan into the field above; it starts with gg_."); key.focus(); return; }
    if (!query.value.trim()) { refuse("There is no query.", "Write one, or take an example."); query.focus(); return; }
    showLink();
    const asked = query.value, mine = flight = new AbortController(), began = performance.now();
    const tick = setInterval(() => { clock.textContent = ((performance.now() - began) / 1000).toFixed(1) + " s"; }, 100);
    run.setAttribute("aria-disabled", "true");
    run.textContent = "Running…";
    stop.hidden = false;
    answer().setAttribute("aria-busy", "true");
    answer().classList.add("stale");
    status.textContent = "Running the query.";
    try {
      const body = new URLSearchParams(new FormData(form));
      body.set("brief", "1");
      const came = await fetch(form.action, { method: "POST", body, signal: mine.signal, cache: "no-store", redirect: "error" });
      const text = await came.text();
      status.textContent = "";
      if (show(text, came.ok)) keep([{ q: asked, t: Date.now() }, ...remembered().filter((x) => x.q !== asked)]);
    } catch {
      status.textContent = "";
      if (mine.signal.aborted) status.textContent = "Stopped.";
      else refuse("The site could not be reached.", "Check the connection and run it again.");
    } finally {
      clearInterval(tick);
      clock.textContent = "";
      run.removeAttribute("aria-disabled");
      run.textContent = "Run";
      if (document.activeElement === stop) run.focus();
      stop.hidden = true;
      answer().removeAttribute("aria-busy");
      answer().classList.remove("stale");
      flight = null;
    }
  });
  stop.addEventListener("click", () => flight && flight.abort());
  form.addEventListener("keydown", (e) => { if (e.key === "Escape" && flight) flight.abort(); });

  at("share").addEventListener("click", async () => {
    showLink();
    try {
      await navigator.clipboard.writeText(location.href);
      status.textContent = "The link is copied. It holds the query, not the key.";
    } catch {
      status.textContent = "The link is in the address bar. It holds the query, not the key.";
    }
  });

  // The filter leaves the tables that have the words in their name, and those
  // with such columns, opened at these.
  const filter = at("filter"), tables = [...document.querySelectorAll("details.table")];
  filter.addEventListener("input", () => {
    const asked = filter.value.trim().toLowerCase();
    let left = 0;
    for (const table of tables) {
      const columns = [...table.querySelectorAll(".columns li")];
      const whole = !asked || table.dataset.name.includes(asked) || table.querySelector("p").textContent.toLowerCase().includes(asked);
      let some = false;
      for (const li of columns) {
        const hit = Boolean(asked) && li.textContent.toLowerCase().includes(asked);
        some ||= hit;
        li.hidden = !whole && !hit;
      }
      table.hidden = !whole && !some;
      table.open = some && !whole;
      if (!table.hidden) left++;
    }
    for (const group of document.querySelectorAll(".schema .group")) group.hidden = !group.querySelector("details:not([hidden])");
    at("sieve-status").textContent = !asked ? "" : left ? `${left} of ${tables.length} tables` : "No table has that. Try a shorter word.";
  });
})();
