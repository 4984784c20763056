// Looks at every kind of page in Chromium: at the width of a phone, a tablet and
// a desktop, in light and in dark, with and without scripts, with axe, and with
// the keyboard alone:
//
//   node pages.mjs URL EMAIL PASSWORD PAGES [SHOTS]
//
// URL is where the site is; EMAIL has an account on the Pro plan; PAGES is a
// file of pages, [{"name", "path", "status", "member", "again"}]: a status other
// than 200 is expected, the pages of a member are looked at signed in, and the
// keyboard does not go through a kind of page again, nor does axe read all of it.
// SHOTS is a folder for pictures of every page.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { complaints, launch, listen } from "./walk.mjs";

const [base, email, password, list, shots] = process.argv.slice(2);
// PAGES_ONLY is the beginning of the names of those that are looked at, for
// whoever works on one of them.
const pages = JSON.parse(await readFile(list, "utf8")).filter((p) => p.name.startsWith(process.env.PAGES_ONLY ?? ""));
const axe = await readFile(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const widths = [320, 375, 768, 1280], schemes = ["light", "dark"];
const browser = await launch();
const wrong = new Set(); // what is wrong with pages; all of it is told in the end

async function visitor(options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options });
  const page = listen(await context.newPage());
  // What a page refers to has to be there.
  page.on("response", (r) => {
    if (r.status() >= 400 && !r.request().isNavigationRequest()) wrong.add(`${page.url()} refers to ${r.url()}, which answers ${r.status()}`);
  });
  return page;
}

async function signIn(page) {
  await page.goto(`${base}/signin`);
  await page.fill("#email", email);
  await page.fill("#password", password);
  await page.click("main button:text('Sign in')");
  await page.waitForURL((url) => url.pathname !== "/signin");
}

// violations is what axe finds. In the dark only colors are other than in the
// light.
const violations = (page, scheme) => page.evaluate(async (scheme) => {
  const found = await axe.run(document, { resultTypes: ["violations"], preload: false, ...(scheme === "dark" ? { runOnly: ["color-contrast"] } : {}) });
  return found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.target.join(" ")).join(", ")}`);
}, scheme);

// thin takes out of a page what repeats what stands beside it: of rows, choices
// and bars that are made alike, the first two stay. What axe finds in one of them
// it finds in all, and it takes its time for each. A label and what it names stand
// side by side and are made unlike each other, so both stay.
const thin = (page) => page.evaluate(() => {
  const made = (e) => e.localName + [...e.attributes].map((a) => (/^(class|role|type)$/.test(a.name) ? `[${a.name}=${a.value}]` : `[${a.name}]`)).join("") + `(${[...e.children].map(made).join()})`;
  const through = (parent) => {
    const alike = new Map();
    for (const e of [...parent.children]) {
      const is = made(e), before = alike.get(is) ?? 0;
      alike.set(is, before + 1);
      if (before < 2 || e.matches("input, label[for]")) through(e);
      else e.remove();
    }
  };
  through(document.body);
});

// outside is how far a page is wider than the screen, and what sticks out.
const outside = (page) => page.evaluate(() => {
  const wide = document.documentElement.clientWidth, out = document.documentElement.scrollWidth - wide;
  const what = out > 0 ? [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > wide + 1).slice(0, 5).map((e) => `${e.localName}.${e.className?.baseVal ?? e.className}`) : [];
  return { out, what };
});

// Each page is asked for from another address: the site bounds what a visitor may
// ask for, and believes the proxy that the test says it is behind.
let visits = 0;
const elsewhere = (page) => page.setExtraHTTPHeaders({ "X-Forwarded-For": `198.18.${++visits >> 8}.${visits & 255}` });

// open goes to a page and looks at what every page has.
async function open(page, { name, path: at, status = 200 }) {
  await elsewhere(page);
  const answer = await page.goto(base + at);
  if (answer.status() !== status) wrong.add(`${name}: ${at} answers ${answer.status()}`);
  const has = await page.evaluate(() => ({
    title: document.title, lang: document.documentElement.lang, h1: document.querySelectorAll("h1").length,
    main: document.querySelector("main")?.innerText.trim().length ?? 0, find: !!document.querySelector("form[role=search] input[name=q]"),
  }));
  if (!has.title || has.lang !== "en" || has.h1 !== 1 || has.main === 0 || !has.find) wrong.add(`${name}: ${JSON.stringify(has)}`);
}

// look looks at a page at every width. axe reads it whole on a phone, where it is
// longest, and without what repeats elsewhere; of a kind that is gone through
// anyway, it is read without that everywhere.
async function look(page, one) {
  await open(page, one);
  const see = async (width, scheme) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
  };
  for (const scheme of shots ? schemes : ["light"]) {
    for (const width of widths) {
      await see(width, scheme);
      const { out, what } = await outside(page);
      if (out > 0) wrong.add(`${one.name} is ${out} pixels too wide at ${width}: ${what.join(", ")}`);
      if (shots) await page.screenshot({ path: path.join(shots, `${one.name}-${width}-${scheme}.png`), fullPage: true });
    }
  }
  await page.evaluate(axe);
  const read = async (width, scheme) => {
    await see(width, scheme);
    for (const v of await violations(page, scheme)) wrong.add(`${one.name} at ${width}, ${scheme}: ${v}`);
  };
  if (one.again) await thin(page);
  await read(375, "light");
  if (!one.again) await thin(page);
  for (const [width, scheme] of [[320, "light"], [768, "light"], [1280, "light"], [1280, "dark"], [375, "dark"]]) await read(width, scheme);
}

// plain looks at a page without scripts: it says as much, and nothing sticks out.
async function plain(page, one) {
  await open(page, one);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const { out, what } = await outside(page);
    if (out > 0) wrong.add(`${one.name} without scripts is ${out} pixels too wide at ${width}: ${what.join(", ")}`);
  }
}

// follow lets a page keep what had the focus each time that the tabulator moves
// it on: what it is called, and whether it could be seen that it had it. Once the
// focus has left the page it stays outside.
const follow = (page) => page.evaluate(() => {
  const stops = window.stops = { seen: [], left: false };
  const outlined = (x, pseudo) => { const s = getComputedStyle(x, pseudo); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0; };
  const stop = (e) => {
    const box = e.getBoundingClientRect();
    if (e instanceof SVGElement) {
      // What is drawn has an edge instead of an outline.
      const edged = [...e.querySelectorAll("*")].some((x) => { const s = getComputedStyle(x); return s.stroke !== "none" && parseFloat(s.strokeWidth) >= 2; });
      return { what: `${e.localName} ${e.textContent.slice(0, 40)}`, drawn: edged, seen: box.width > 0 && box.height > 0 };
    }
    // A card shows by its own edge that the link in it has the focus.
    const drawn = outlined(e) || outlined(e, "::after") || e.matches(".skip") || [e.parentElement, e.parentElement?.parentElement].some((x) => x?.matches(":focus-within") && outlined(x));
    return { what: `${e.localName} ${(e.innerText || e.name || e.getAttribute("aria-label") || "").slice(0, 40)}`, drawn, seen: box.width > 0 && box.height > 0 && box.left < innerWidth && box.right > 0 };
  };
  window.addEventListener("keydown", (event) => {
    if (event.key !== "Tab") return;
    const e = document.activeElement;
    if (e && e !== document.body) stops.seen.push(stop(e));
    else if (stops.seen.length > 0) stops.left = true;
    if (stops.left) event.preventDefault();
  }, true);
});

// walk goes through a page by the tabulator: every stop can be seen, and there
// is a way out at the end. The keys are pressed without a look between them.
async function walk(page, one) {
  await page.setViewportSize({ width: 1280, height: 900 });
  await open(page, one);
  await follow(page);
  const most = 1500, run = 100;
  for (let pressed = 0; pressed < most; pressed += run) {
    await Promise.all(Array.from({ length: run }, () => page.keyboard.press("Tab")));
    if (await page.evaluate(() => window.stops.left)) break;
  }
  const { seen, left } = await page.evaluate(() => window.stops);
  for (const at of seen) if (!at.drawn || !at.seen) wrong.add(`${one.name}: ${at.what} does not show that it has the focus`);
  if (!left) wrong.add(`${one.name} has more than ${most} stops, or holds the focus`);
}

// Two at a time look at the pages, each with a window as a stranger and as a
// member, with scripts and without.
const left = [...pages];
await Promise.all([1, 2].map(async () => {
  const windows = {};
  for (const scripts of [true, false]) {
    for (const signedIn of [false, true]) {
      const page = windows[`${scripts} ${signedIn}`] = await visitor({ javaScriptEnabled: scripts });
      if (signedIn) await signIn(page);
    }
  }
  for (let one; (one = left.shift());) {
    const page = windows[`true ${!!one.member}`];
    await look(page, one);
    if (!one.again) await walk(page, one);
    await plain(windows[`false ${!!one.member}`], one);
  }
}));

// The keyboard alone: past the header to the content; to the search box, to its
// results, and to the page of one of them.
const stranger = await visitor();
await stranger.goto(`${base}/`);
await stranger.keyboard.press("Tab");
assert.equal(await stranger.evaluate(() => document.activeElement.className), "skip", "the first stop is not the way past the header");
await stranger.keyboard.press("Enter");
await stranger.waitForURL("**/#main");
await stranger.goto(`${base}/data`);
await stranger.keyboard.press("/");
assert.equal(await stranger.evaluate(() => document.activeElement.name), "q", "the key / does not lead to the search box");
await stranger.keyboard.type("county library");
await stranger.keyboard.press("Enter");
await stranger.waitForURL("**/search?**");
for (let i = 0; i < 100 && !(await stranger.evaluate(() => document.activeElement.matches("main a[href^='/org/']"))); i++) await stranger.keyboard.press("Tab");
await stranger.keyboard.press("Enter");
await stranger.waitForURL("**/org/**");

await browser.close();
assert.deepEqual(complaints, [], "the browser complained");
assert.deepEqual([...wrong], [], "pages are not as they should be");
console.log(`${pages.length} pages, at ${widths.join(", ")} pixels, light and dark, with and without scripts: axe finds nothing, nothing sticks out, the keyboard reaches everything`);
