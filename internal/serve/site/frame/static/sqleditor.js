// The editor of /sql: colors under the field in which the query is typed, and
// suggestions from the tables. The field stays a plain field: what reads it aloud,
// undoes or translates it needs to know nothing of this.
(() => {
  const query = document.getElementById("query"), editor = document.getElementById("editor");
  if (!query || !editor) return;
  const most = 20_000; // letters that are colored
  const keywords = new Set(("select from where group by order having limit offset with as on using join left right full inner outer cross anti semi asof lateral union all except intersect distinct and or not in is null like ilike between exists case when then else end asc desc nulls first last filter over partition rows range preceding following current row qualify sample describe true false cast interval values recursive similar to any unnest").split(" "));
  let tables = new Map(), functions = [];

  // pieces cuts a query into [kind, text]: c comment, s text, q quoted name,
  // n number, w word, o anything else. Every letter is in exactly one.
  function pieces(text) {
    const one = /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*(?:'|$))|("(?:[^"]|"")*(?:"|$))|(\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)|([A-Za-z_][A-Za-z0-9_]*)|([\s\S])/giy;
    const list = [];
    for (let m; (m = one.exec(text));) list.push([m[1] !== undefined ? "c" : m[2] !== undefined ? "s" : m[3] !== undefined ? "q" : m[4] !== undefined ? "n" : m[5] !== undefined ? "w" : "o", m[0]]);
    return list;
  }

  const ink = document.createElement("pre"), code = document.createElement("code");
  ink.className = "ink";
  ink.setAttribute("aria-hidden", "true");
  ink.append(code);
  editor.prepend(ink);

  function color() {
    const text = query.value;
    editor.classList.toggle("lit", text.length <= most);
    if (text.length > most) { code.textContent = ""; return; }
    const out = document.createDocumentFragment(), list = pieces(text);
    let plain = "";
    const flush = () => { if (plain) out.append(plain); plain = ""; };
    list.forEach(([kind, piece], i) => {
      let name = { c: "comment", s: "text", n: "number" }[kind] ?? "";
      if (kind === "w") {
        const next = list[i + 1]?.[1];
        name = keywords.has(piece.toLowerCase()) ? "keyword" : tables.has(piece) ? "known" : next === "(" ? "call" : "";
      }
      if (!name) { plain += piece; return; }
      flush();
      const span = document.createElement("span");
      span.className = name;
      span.textContent = piece;
      out.append(span);
    });
    plain += "\n"; // so that a last empty line has a height
    flush();
    code.replaceChildren(out);
    follow();
  }
  const follow = () => { ink.scrollTop = query.scrollTop; ink.scrollLeft = query.scrollLeft; };
  query.addEventListener("scroll", () => { follow(); close(); });
  addEventListener("resize", () => close());

  // Suggestions. The field names the one that is chosen; a line for ears says how
  // many there are.
  const list = document.createElement("ul"), ear = document.createElement("p");
  list.id = "suggest";
  list.className = "suggest";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  list.hidden = true;
  ear.className = "unseen";
  ear.setAttribute("role", "status");
  ear.setAttribute("aria-live", "polite");
  editor.append(list, ear);
  query.setAttribute("aria-autocomplete", "list");
  query.setAttribute("aria-haspopup", "listbox");
  let at = null, offered = [], chosen = -1, mine = false; // mine: the change under way is ours

  function close() {
    if (list.hidden) return;
    list.hidden = true;
    chosen = -1;
    query.removeAttribute("aria-activedescendant");
    query.removeAttribute("aria-controls");
    ear.textContent = "";
  }

  // where tells what stands before the caret, or null inside a text or a comment.
  function where() {
    const end = query.selectionStart;
    if (end !== query.selectionEnd || query.value.length > most) return null;
    const before = pieces(query.value.slice(0, end)), last = before.at(-1);
    if (last && (last[0] === "c" && !(last[1].startsWith("/*") && last[1].endsWith("*/")) || last[0] === "s" && !/^'(?:[^']|'')*'$/.test(last[1]) || last[0] === "q" || last[0] === "n")) return null;
    const word = last && last[0] === "w" ? last[1] : "";
    if (word) before.pop();
    const words = before.filter(([kind, piece]) => kind !== "c" && piece.trim() !== "");
    let owner = null;
    if (words.at(-1)?.[1] === "." && words.at(-2)?.[0] === "w") owner = words.at(-2)[1];
    const clause = words.filter(([kind, piece]) => kind === "w" && /^(select|from|join|where|on|by|having|using|and|or|as|limit)$/i.test(piece)).at(-1)?.[1].toLowerCase() ?? "";
    const behind = words.at(-1)?.[1].toLowerCase() ?? "";
    return { word, owner, from: end - word.length, end, table: /^(from|join)$/.test(behind) || clause === "from" && behind === ",", named: behind === "as" || clause === "limit" };
  }

  // used are the tables that the query names, by their names and by what they are
  // called in it.
  function used() {
    const names = new Map(), words = pieces(query.value).filter(([kind, piece]) => kind !== "c" && piece.trim() !== "");
    words.forEach(([kind, piece], i) => {
      if (kind !== "w" || !tables.has(piece)) return;
      names.set(piece, piece);
      const next = words[i + 1]?.[1].toLowerCase() === "as" ? words[i + 2] : words[i + 1];
      if (next && next[0] === "w" && !keywords.has(next[1].toLowerCase())) names.set(next[1], piece);
    });
    return names;
  }

  function candidates(spot) {
    const found = [], seen = new Set(), start = spot.word.toLowerCase();
    const add = (name, kind) => {
      const low = name.toLowerCase(), rank = low.startsWith(start) ? 0 : low.includes("_" + start) ? 1 : start.length > 2 && low.includes(start) ? 2 : 3;
      if (rank === 3 || seen.has(name) || name === spot.word) return;
      seen.add(name);
      found.push({ name, kind, rank });
    };
    const names = used();
    if (spot.owner !== null) {
      for (const [column, type] of tables.get(names.get(spot.owner) ?? spot.owner)?.columns ?? []) add(column, type);
    } else if (spot.table) {
      for (const t of tables.values()) add(t.name, t.pro ? "table, Pro" : "table");
    } else if (start && !spot.named) {
      for (const t of new Set(names.values())) for (const [column, type] of tables.get(t).columns) add(column, type);
      for (const t of tables.values()) add(t.name, t.pro ? "table, Pro" : "table");
      for (const k of keywords) if (start.length > 1) add(k.toUpperCase(), "keyword");
      for (const f of functions) if (start.length > 1) add(f, "function");
    }
    return found.map((x, i) => [x, i]).sort(([a, i], [b, j]) => a.rank - b.rank || i - j).slice(0, 40).map(([x]) => x);
  }

  function open(asked) {
    const spot = where();
    if (!spot || !asked && spot.word.length < 2 && spot.owner === null) { close(); return; }
    if (asked && spot.word === "" && spot.owner === null && !spot.table) {
      // Nothing is typed yet: the columns of the tables named, or the tables.
      const names = new Set(used().values());
      offered = names.size ? [...names].flatMap((t) => tables.get(t).columns.map(([name, kind]) => ({ name, kind }))).filter((x, i, all) => all.findIndex((y) => y.name === x.name) === i) : [...tables.values()].map((t) => ({ name: t.name, kind: "table" }));
    } else offered = candidates(spot);
    if (!offered.length) {
      close();
      if (asked) ear.textContent = "No suggestions.";
      return;
    }
    at = spot;
    chosen = -1;
    list.replaceChildren(...offered.map((x, i) => {
      const li = document.createElement("li"), small = document.createElement("small");
      li.id = "suggest-" + i;
      li.setAttribute("role", "option");
      li.setAttribute("aria-selected", "false");
      small.textContent = x.kind.toLowerCase();
      li.append(x.name, small);
      li.addEventListener("pointerdown", (e) => { e.preventDefault(); take(i); });
      return li;
    }));
    query.removeAttribute("aria-activedescendant");
    query.setAttribute("aria-controls", "suggest");
    list.hidden = false;
    list.scrollTop = 0;
    place(spot);
    ear.textContent = `${offered.length} suggestion${offered.length === 1 ? "" : "s"}: ${offered[0].name}. Down chooses.`;
  }

  // place puts the list under the word, within the editor's width.
  function place(spot) {
    const style = getComputedStyle(query), high = parseFloat(style.lineHeight), rule = document.createElement("span");
    rule.textContent = "0".repeat(10);
    rule.className = "rule";
    code.append(rule);
    const wide = rule.getBoundingClientRect().width / 10 || 8;
    rule.remove();
    const before = query.value.slice(0, spot.from).split("\n");
    const top = query.offsetTop + parseFloat(style.paddingTop) + before.length * high - query.scrollTop + 4;
    const left = parseFloat(style.paddingLeft) + before.at(-1).length * wide - query.scrollLeft;
    list.style.top = Math.min(top, query.offsetTop + query.offsetHeight) + "px";
    list.style.left = Math.max(0, Math.min(left, editor.clientWidth - list.offsetWidth)) + "px";
  }

  function choose(i) {
    list.children[chosen]?.setAttribute("aria-selected", "false");
    chosen = (i + offered.length) % offered.length;
    const li = list.children[chosen];
    li.setAttribute("aria-selected", "true");
    li.scrollIntoView({ block: "nearest" });
    query.setAttribute("aria-activedescendant", li.id);
  }

  // take writes a suggestion so that the field's own undo takes it back.
  function take(i) {
    const name = offered[i].name + (offered[i].kind === "function" ? "(" : "");
    close();
    query.focus();
    query.setSelectionRange(at.from, at.end);
    mine = true;
    if (!document.execCommand("insertText", false, name)) query.setRangeText(name, at.from, at.end, "end");
    mine = false;
    color();
    ear.textContent = name + " is in the query.";
  }

  query.addEventListener("input", (e) => {
    color();
    if (mine) return;
    if (e.inputType === undefined || !/^insertText|^deleteContentBackward/.test(e.inputType)) { close(); return; }
    open(false);
  });
  query.addEventListener("keydown", (e) => {
    if (e.key === " " && e.ctrlKey && !e.altKey && !e.metaKey) { e.preventDefault(); open(true); return; }
    if (list.hidden || e.isComposing) return;
    switch (e.key) {
      case "ArrowDown": e.preventDefault(); choose(chosen + 1); break;
      case "ArrowUp": e.preventDefault(); choose(chosen < 0 ? -1 : chosen - 1); break;
      case "Escape": e.preventDefault(); e.stopImmediatePropagation(); close(); break;
      case "Enter":
        if (chosen < 0 || e.ctrlKey || e.metaKey) { close(); return; }
        e.preventDefault();
        take(chosen);
        break;
      case "ArrowLeft": case "ArrowRight": case "Home": case "End": case "Tab": close(); break;
    }
  });
  query.addEventListener("blur", close);
  query.addEventListener("click", close);

  color();
  // Without the names there are still colors.
  fetch(editor.dataset.schema).then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error()))).then((schema) => {
    tables = new Map(schema.tables.map((t) => [t.name, t]));
    functions = schema.functions;
    color();
    editor.dataset.ready = "1";
  }).catch(() => { /* no suggestions */ });
})();
