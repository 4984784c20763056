// The workbench of /sql: sends the query in the editor to /api/v1/sql and shows
// what comes back. The key lives in the session of this tab; a link to a query
// holds the query behind the #, which no server sees, and never the key.
(() => {
  const form = document.getElementById("sql");
  if (!form) return;
  const at = (id) => document.getElementById(id);
  const key = at("api-key"), query = at("query"), run = at("run"), stop = at("stop"), clock = at("clock");
  const status = at("sql-status"), problem = at("sql-problem"), result = at("result"), cut = at("cut");
  const place = "grantgraph.key";
  let shown = null; // the answer in the table
  let flight = null; // the request under way

  form.hidden = false;
  at("sieve").hidden = false;

  function make(tag, name, text) {
    const e = document.createElement(tag);
    if (name) e.className = name;
    if (text !== undefined) e.textContent = text;
    return e;
  }

  // A browser that keeps nothing still runs queries.
  try { key.value = sessionStorage.getItem(place) || ""; } catch { /* no storage */ }
  key.addEventListener("input", () => {
    try {
      if (key.value) sessionStorage.setItem(place, key.value.trim()); else sessionStorage.removeItem(place);
    } catch { /* no storage */ }
  });

  // type writes over the selection so that the editor's own undo takes it back.
  function type(text) {
    query.focus();
    if (!document.execCommand("insertText", false, text)) query.setRangeText(text, query.selectionStart, query.selectionEnd, "end");
  }

  function fill(text) {
    if (query.value === text) return;
    query.focus();
    query.select();
    type(text);
    query.setSelectionRange(0, 0);
    query.scrollTop = 0;
  }

  const linked = () => { try { return new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B")).get("q"); } catch { return null; } };
  const link = () => location.pathname + "#q=" + encodeURIComponent(query.value);
  if (linked()) query.value = linked();
  addEventListener("hashchange", () => { if (linked()) fill(linked()); });

  for (const a of document.querySelectorAll("a.example")) {
    a.addEventListener("click", (e) => {
      if (e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
      e.preventDefault();
      fill(decodeURIComponent(a.hash.slice("#q=".length)));
      history.replaceState(null, "", link());
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
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); form.requestSubmit(); return; }
    if (!e.ctrlKey || e.altKey || e.metaKey || (e.key !== "]" && e.key !== "[")) return;
    e.preventDefault();
    const from = query.value.lastIndexOf("\n", query.selectionStart - 1) + 1;
    const lines = query.value.slice(from, query.selectionEnd);
    const moved = e.key === "]" ? lines.replace(/^/gm, "  ") : lines.replace(/^ {1,2}/gm, "");
    query.setSelectionRange(from, query.selectionEnd);
    type(moved);
    if (lines.includes("\n")) query.setSelectionRange(from, from + moved.length);
  });

  // Exact is a number that the browser would write otherwise than it came, such
  // as one with more digits than it counts in.
  class Exact { constructor(digits) { this.digits = digits; } }
  const exact = (_, value, context) => (typeof value === "number" && context && context.source !== String(value) ? new Exact(context.source) : value);

  function words(value) {
    if (value === null || value === undefined) return "";
    if (value instanceof Exact) return value.digits;
    return typeof value === "object" ? JSON.stringify(value, (_, v) => (v instanceof Exact ? JSON.rawJSON(v.digits) : v)) : String(value);
  }

  const number = /^U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$|^(FLOAT|DOUBLE|BIGNUM)$|^DECIMAL/;

  function show(answer) {
    shown = answer;
    const right = answer.columns.map((c) => number.test(c.type));
    const head = make("tr"), body = make("tbody");
    answer.columns.forEach((c, i) => {
      const th = make("th", right[i] ? "n" : "", c.name);
      th.scope = "col";
      th.title = c.type;
      head.append(th);
    });
    for (const row of answer.rows) {
      const tr = make("tr");
      answer.columns.forEach((c, i) => {
        const td = make("td", right[i] ? "n" : ""), value = row[c.name];
        if (value === null || value === undefined) td.append(make("span", "null", "null"));
        else td.textContent = words(value);
        tr.append(td);
      });
      body.append(tr);
    }
    const thead = make("thead");
    thead.append(head);
    at("rows").replaceChildren(thead, body);
    cut.hidden = !answer.truncated && answer.rows.length > 0;
    cut.textContent = answer.rows.length === 0 ? "No rows match this query." : `There are more rows than these ${answer.rows.length.toLocaleString("en")}. Narrow the query, or sum up before you list.`;
    result.hidden = false;
    result.scrollIntoView({ block: "nearest" });
  }

  function refuse(message, hint) {
    problem.replaceChildren(make("b", "", message));
    if (hint) problem.append(make("span", "", hint));
    problem.hidden = false;
    problem.scrollIntoView({ block: "nearest" });
  }

  const counted = (n) => `${n.toLocaleString("en")} row${n === 1 ? "" : "s"}`;
  const seconds = (ms) => (ms < 1000 ? Math.round(ms) + " ms" : (ms / 1000).toFixed(1) + " s");

  async function ask(signal) {
    const answer = await fetch("/api/v1/sql", {
      method: "POST", signal, credentials: "omit", cache: "no-store",
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-API-Key": key.value.trim() },
      body: JSON.stringify({ sql: query.value }),
    });
    const text = await answer.text();
    let body = null;
    try { body = JSON.parse(text, exact); } catch { /* said below */ }
    if (!answer.ok || !body || !Array.isArray(body.columns) || !Array.isArray(body.rows)) {
      const said = body && body.message ? String(body.message) : `The response did not come from the API (HTTP ${answer.status}).`;
      return { refused: said, hint: body && body.hint ? "Try: " + body.hint : "" };
    }
    return { body, left: answer.headers.get("X-Calls-Remaining") };
  }

  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    if (flight) return;
    problem.hidden = true;
    if (!key.value.trim()) { refuse("A key is needed.", "Put the key of your account into the field above; it starts with gg_."); key.focus(); return; }
    if (/[^\x21-\x7e]/.test(key.value.trim())) { refuse("That is not a key.", "A key has letters, digits and underscores, and starts with gg_."); key.focus(); return; }
    if (!query.value.trim()) { refuse("There is no query.", "Write one, or take an example."); query.focus(); return; }
    history.replaceState(null, "", link());
    const mine = flight = new AbortController(), began = performance.now();
    const tick = setInterval(() => { clock.textContent = ((performance.now() - began) / 1000).toFixed(1) + " s"; }, 100);
    run.setAttribute("aria-disabled", "true");
    run.textContent = "Running…";
    stop.hidden = false;
    result.setAttribute("aria-busy", "true");
    result.classList.add("stale");
    status.textContent = "Running the query.";
    try {
      const { body, left, refused, hint } = await ask(mine.signal);
      if (refused) {
        status.textContent = "";
        result.hidden = true;
        shown = null;
        refuse(refused, hint);
        return;
      }
      show(body);
      const took = Number(words(body.elapsed_ms)) || performance.now() - began;
      status.textContent = `${counted(body.rows.length)}${body.truncated ? ", and there are more" : ""}, in ${seconds(took)}.` + (left === null ? "" : ` ${Number(left).toLocaleString("en")} calls left.`);
    } catch {
      status.textContent = "";
      if (mine.signal.aborted) status.textContent = "Stopped.";
      else refuse("The API could not be reached.", "Check the connection and run it again.");
    } finally {
      clearInterval(tick);
      clock.textContent = "";
      run.removeAttribute("aria-disabled");
      run.textContent = "Run";
      if (document.activeElement === stop) run.focus();
      stop.hidden = true;
      result.removeAttribute("aria-busy");
      result.classList.remove("stale");
      flight = null;
    }
  });
  stop.addEventListener("click", () => flight && flight.abort());
  form.addEventListener("keydown", (e) => { if (e.key === "Escape" && flight) flight.abort(); });

  at("share").addEventListener("click", async () => {
    history.replaceState(null, "", link());
    try {
      await navigator.clipboard.writeText(location.href);
      status.textContent = "The link is copied. It holds the query, not the key.";
    } catch {
      status.textContent = "The link is in the address bar. It holds the query, not the key.";
    }
  });

  // A text that a spreadsheet would take for a formula gets an apostrophe in
  // front, as in the CSV of the API.
  function cell(value) {
    let s = words(value);
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(s)) s = "'" + s;
    return /[",\r\n]|^\s|\s$/.test(s) ? '"' + s.replaceAll('"', '""') + '"' : s;
  }

  // The mark in front tells Excel that the file is UTF-8.
  at("csv").addEventListener("click", () => {
    if (!shown) return;
    const names = shown.columns.map((c) => c.name);
    const lines = [names.map(cell).join(","), ...shown.rows.map((row) => names.map((n) => cell(row[n])).join(","))];
    const a = make("a");
    a.href = URL.createObjectURL(new Blob(["\ufeff", lines.join("\n") + "\n"], { type: "text/csv;charset=utf-8" }));
    a.download = "grantgraph-query.csv";
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
    status.textContent = `${counted(shown.rows.length)} written to grantgraph-query.csv.`;
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
