"use strict";
// Draws a map of counties where a page has figures by county (data-counties says where they are), from boundaries of the
// Census Bureau. Without it, the page shows states as tiles, which stay one press away.
(() => {
  let outlines; // of all counties, loaded once a map is about to be seen
  const dollars = (n) => n.toLocaleString("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 });
  const short = (n) => n.toLocaleString("en-US", { style: "currency", currency: "USD", notation: "compact", maximumFractionDigits: 1 });
  const plural = (n, one, many) => `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
  const words = ([, name, amount, grants]) => `${name}: ${dollars(amount)} in ${plural(grants, "grant", "grants")}`;
  const make = (name, attributes, ...children) => {
    const svg = ["svg", "path", "rect"].includes(name);
    const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    e.append(...children);
    return e;
  };
  const load = async (address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(address);
    return answer.json();
  };
  const link = ([fips, name]) => {
    if (location.pathname !== "/explore") return `/place/${name.slice(-2)}/${fips}`;
    const to = new URL(location.href);
    for (const key of ["page", "location_type", "near", "within"]) to.searchParams.delete(key);
    to.searchParams.set("location", fips);
    to.searchParams.set("geo_id_type", "county_fips");
    return to.pathname + to.search;
  };

  const draw = async (section) => {
    const [{ states, counties }, { counties: list, none }] = await Promise.all([outlines ??= load("/static/counties.json"), load(section.dataset.counties)]);
    if (!section.isConnected || list.length === 0) return;
    const known = new Map(list.map((row) => [row[0], row]));
    // The amounts in five shades of about as many counties.
    const amounts = list.map((row) => row[2]).filter((n) => n > 0).sort((a, b) => a - b);
    const shades = Math.min(5, new Set(amounts).size), shade = new Map(), ranges = [];
    amounts.forEach((n, i) => {
      if (!shade.has(n)) shade.set(n, Math.floor(i * shades / amounts.length));
      const q = shade.get(n);
      ranges[q] = [ranges[q]?.[0] ?? n, n];
    });
    const kind = (n) => n > 0 ? "q" + (shades === 1 ? 5 : 1 + Math.round(shade.get(n) * 4 / (shades - 1))) : "q0";

    const there = new Set(list.map(([fips]) => fips.slice(0, 2))), few = there.size <= 3;
    const plot = make("svg", { class: "plot", viewBox: "0 0 975 610", role: "img", "aria-label": `Dollars by county: ${plural(list.length, "county", "counties")}. The list below has the largest.` });
    let left = 0;
    for (const state in counties) {
      if (few && !there.has(state)) continue;
      for (const county in counties[state]) {
        const row = known.get(state + county);
        plot.append(make("path", { class: "shade " + kind(row?.[2] ?? 0), d: counties[state][county], "data-county": state + county }));
        left += row ? 1 : 0;
      }
    }
    if (left === 0) return; // all are in territories
    if (!few) plot.append(make("path", { class: "borders", d: states }));
    const read = make("p", { class: "readout" }, "Point at a county to see its figures. Press it to open it.");
    const say = (e) => {
      const row = known.get(e.target.dataset?.county);
      if (row) read.replaceChildren(make("a", { href: link(row), tabindex: "-1" }, row[1]), words(row).slice(row[1].length));
      return row;
    };
    plot.addEventListener("pointerover", say);
    plot.addEventListener("click", (e) => {
      const row = say(e);
      if (row && e.pointerType !== "touch") location.assign(link(row)); // a finger may have meant the county beside it
    });

    const legend = make("ul", { class: "legend" }, ...ranges.map(([low, high]) => {
      const key = make("svg", { width: 26, height: 18, "aria-hidden": "true" }, make("rect", { class: "shade " + kind(low), x: ".5", y: ".5", width: 25, height: 17, rx: 3 }));
      return make("li", {}, key, short(low) === short(high) ? short(low) : `${short(low)} – ${short(high)}`);
    }));
    const largest = make("ol", { class: "largest" }, ...list.slice(0, 10).map((row) => make("li", {}, make("a", { href: link(row) }, row[1]), " ", make("small", {}, `${short(row[2])}, ${plural(row[3], "grant", "grants")}`))));
    const figure = make("figure", { class: "draw map by-county" }, plot, read, make("figcaption", {}, legend,
      make("p", {}, "Counties come from ZIP codes and cities. Boundaries: US Census Bureau." + (none ? ` County unknown: ${words(["", "", ...none]).slice(2)}.` : ""))));
    const tiles = section.querySelector("figure.map"); // where there are none, a list of counties stands below
    if (tiles?.contains(document.activeElement)) { // whoever walks through the tiles by keyboard keeps them until the end
      await new Promise((left) => tiles.addEventListener("focusout", (e) => { if (!tiles.contains(e.relatedTarget)) left(); }));
    }
    if (tiles) figure.append(make("details", {}, make("summary", {}, "The counties with the most dollars"), largest));
    (tiles ?? section.firstElementChild).before(figure);
    if (few) {
      const box = plot.getBBox();
      plot.setAttribute("viewBox", [box.x - 2, box.y - 2, box.width + 4, box.height + 4].join(" "));
      plot.classList.toggle("tall", box.height > box.width);
    }
    if (!tiles) return;
    const button = make("button", { type: "button", class: "quiet" });
    const turn = (byState) => {
      [figure.hidden, tiles.hidden] = [byState, !byState];
      button.textContent = byState ? "Show counties" : "Show states";
    };
    turn(false);
    button.addEventListener("click", () => turn(tiles.hidden));
    tiles.after(button);
  };

  // A map that cannot be drawn leaves the page as it is. At the head of a page, it waits for a press: it takes as much as the page.
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      draw(target).catch(() => {});
    }
  }, { rootMargin: "200px" });
  const watch = () => {
    for (const section of document.querySelectorAll("[data-counties]")) {
      if (!section.matches(".map-first")) { seen.observe(section); continue; }
      const button = make("button", { type: "button", class: "quiet" }, "Show counties");
      button.addEventListener("click", () => draw(section).then(() => button.remove(), () => { button.textContent = "The map could not be loaded"; }));
      section.append(button);
    }
  };
  watch();
  document.addEventListener("results", watch);
})();
