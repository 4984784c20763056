// The page of questions: sends what was asked to /api/v1/analyze and shows the
// answer as it comes, part by part, drawn by the server. A stream that is cut is
// asked for again from where it ended; the same question is not counted twice.
(() => {
  const form = document.getElementById("ask");
  if (!form || !window.ReadableStream || !window.TextDecoder) return;
  const at = (id) => document.getElementById(id);
  const field = at("question"), send = at("send"), status = at("ask-status"), left = at("left"), key = at("api-key"), reply = at("reply");
  const parts = Object.fromEntries([...reply.querySelectorAll("[data-part]")].map((e) => [e.dataset.part, e]));
  const place = "grantgraph.key", tries = 3;
  let flight = null;

  try { key.value = sessionStorage.getItem(place) || ""; } catch { /* no storage */ }
  key.addEventListener("input", () => {
    try {
      if (key.value) sessionStorage.setItem(place, key.value.trim()); else sessionStorage.removeItem(place);
    } catch { /* no storage */ }
  });

  const clear = () => { for (const e of Object.values(parts)) e.replaceChildren(); };
  const fill = (part, html) => { parts[part].innerHTML = html; };

  // problem says what no server drew.
  function problem(title, text) {
    const box = document.createElement("section"), b = document.createElement("b"), p = document.createElement("p");
    box.className = "problem wrong";
    box.setAttribute("role", "alert");
    b.textContent = title;
    p.textContent = text;
    box.append(b, p);
    parts.problem.replaceChildren(box);
  }

  // show puts one event on the page, and reports whether it is the last.
  function show(event, data) {
    switch (event) {
      case "understood":
        clear();
        fill("understood", data.html);
        status.textContent = "The question was understood. Looking it up.";
        return false;
      case "request": case "rows": case "chart":
        fill(event, data.html);
        return false;
      case "answer":
        fill("answer", data.html);
        status.textContent = "The answer is below.";
        return false;
      case "unclear":
        clear();
        fill("problem", data.html);
        status.textContent = "The question was not understood.";
        return true;
      case "error":
        fill("problem", data.html);
        status.textContent = "";
        if (data.code === 402) document.querySelector(".key-of").open = true;
        return true;
      case "done":
        if (data.paid) left.textContent = data.paid;
        return true;
    }
    return false;
  }

  // events reads a stream: an array of lines ends with an empty one.
  async function* events(body) {
    const reader = body.getReader(), text = new TextDecoder();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += text.decode(value, { stream: true });
      for (let end; (end = rest.indexOf("\n\n")) >= 0;) {
        const one = {};
        for (const line of rest.slice(0, end).split("\n")) {
          const colon = line.indexOf(": ");
          if (colon > 0) one[line.slice(0, colon)] = line.slice(colon + 2);
        }
        rest = rest.slice(end + 2);
        if (one.event) yield one;
      }
    }
  }

  // once asks, and reports whether the stream came to its end.
  async function once(question, seen, signal) {
    const headers = { "Content-Type": "application/json", Accept: "text/event-stream", "X-Page-Token": form.dataset.token };
    if (seen.id) headers["Last-Event-ID"] = seen.id;
    const answer = await fetch("/api/v1/analyze", { method: "POST", signal, cache: "no-store", credentials: "same-origin", headers, body: JSON.stringify(question) });
    if (!answer.ok || !(answer.headers.get("Content-Type") || "").startsWith("text/event-stream")) {
      let said = null;
      try { said = await answer.json(); } catch { /* said below */ }
      if (answer.status === 403) problem("This page is out of date", "Reload it and ask again. Nothing was counted.");
      else problem("The question was not answered", said && said.message ? said.message : "Please try again in a moment.");
      return true;
    }
    for await (const e of events(answer.body)) {
      seen.id = e.id;
      if (show(e.event, JSON.parse(e.data))) return true;
    }
    return false;
  }

  async function ask(text, plan) {
    if (flight) flight.abort();
    const mine = flight = new AbortController();
    const question = { question: text };
    if (plan) question.plan = plan;
    if (key.value.trim()) question.key = key.value.trim();
    send.setAttribute("aria-disabled", "true");
    reply.setAttribute("aria-busy", "true");
    parts.problem.replaceChildren();
    status.textContent = "Reading the question.";
    const seen = {};
    try {
      for (let i = 0; ; i++) {
        let whole = false;
        try { whole = await once(question, seen, mine.signal); } catch (e) { if (mine.signal.aborted) return; }
        if (whole) break;
        if (i + 1 === tries) { status.textContent = ""; problem("The connection was lost", "The answer did not arrive. Ask again: the same question is not counted twice."); break; }
        status.textContent = "The connection was lost. Asking again.";
        await new Promise((done) => setTimeout(done, 400 * (i + 1)));
      }
    } finally {
      if (flight === mine) {
        flight = null;
        send.removeAttribute("aria-disabled");
        reply.removeAttribute("aria-busy");
      }
    }
  }

  // Each answer is an address.
  function go(address) {
    const query = new URL(address, location.href).searchParams;
    history.pushState(null, "", address);
    field.value = query.get("q") || "";
    at("key-question").value = field.value;
    ask(field.value, query.get("plan"));
  }

  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const text = field.value.trim();
    if (text) go("/ask?" + new URLSearchParams({ q: text }));
  });
  at("with-key").addEventListener("submit", (e) => {
    e.preventDefault();
    const text = at("key-question").value.trim() || field.value.trim();
    if (text) { field.value = text; go("/ask?" + new URLSearchParams({ q: text })); }
  });
  // Parts that are changed and questions that are offered are asked here too.
  document.querySelector("main").addEventListener("click", (e) => {
    const a = e.target.closest('a[href^="/ask?"]');
    if (!a || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
    e.preventDefault();
    go(a.getAttribute("href"));
    field.focus({ preventScroll: true });
  });
  addEventListener("popstate", () => location.reload());
})();
