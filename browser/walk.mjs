// What every walk through the site needs: a browser, an ear for what it
// complains about, and a look at each page in several sizes.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { chromium } from "playwright-core";

// How long to wait for what is missing, in milliseconds: it only ends a hang, and
// a busy machine is no hang.
const patience = +(process.env.PATIENCE ?? 5 * 60_000);

export const launch = () => chromium.launch({
  timeout: patience,
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// What the browser complains about, such as a script that the policy of the
// page forbids, fails the walk. A page that refuses a form or a query is no
// complaint. Every address asked for is kept too: some things must not be in one.
export const complaints = [], addresses = [];
export function listen(page) {
  page.setDefaultTimeout(patience);
  page.on("pageerror", (e) => complaints.push(String(e)));
  page.on("console", (m) => {
    if (m.type() === "error" && !m.text().startsWith("Failed to load resource")) complaints.push(m.text());
  });
  page.on("request", (r) => addresses.push(r.url()));
  return page;
}

// Two fonts that no page was made for: each letter of the one is as wide as it
// is high, the other is as narrow as letters get. They come with the walk, for
// what a machine has installed must not decide whether it passes.
const strange = await Promise.all([["widest", "press-start-2p"], ["narrowest", "league-gothic"]].map(async ([kind, name]) =>
  [kind, (await readFile(new URL(`node_modules/@fontsource/${name}/files/${name}-latin-400-normal.woff2`, import.meta.url))).toString("base64")]));

// wear draws a page in another font throughout, or in its own again.
const wear = (page, font) => page.evaluate(async (font) => {
  const style = document.documentElement.style;
  for (const name of ["--serif", "--sans", "--mono"]) style.removeProperty(name);
  if (font) {
    const [kind, data] = font;
    const face = new FontFace(kind, Uint8Array.from(atob(data), (c) => c.charCodeAt(0)));
    document.fonts.add(await face.load());
    for (const name of ["--serif", "--sans", "--mono"]) style.setProperty(name, kind);
  }
  await document.fonts.ready;
}, font);

// sticking is what is wrong with the layout of a page: how far it is wider than
// the screen, and what its own edges cut off.
const sticking = (page) => page.evaluate(() => {
  const out = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const cut = [...document.querySelectorAll("main *, header *, footer *")].filter((e) => !e.matches(".unseen") && getComputedStyle(e).overflowX === "hidden" && e.scrollWidth > e.clientWidth);
  return { out, cut: cut.map((e) => e.className || e.localName) };
});

// look checks a page at the width of a desktop, a tablet and a phone, in light and
// in dark, in its own fonts and in the strange ones: nothing may stick out to the
// side. Pictures go to the folder shots, if there is one.
export async function look(page, name, shots) {
  const before = page.viewportSize();
  const check = async (kind, width) => {
    const { out, cut } = await sticking(page);
    assert.ok(out <= 0, `${name} is ${out} pixels too wide on a ${kind} of ${width}`);
    assert.deepEqual(cut, [], `${name} cuts text off on a ${kind} of ${width}`);
    if (shots) await page.screenshot({ path: path.join(shots, `${name}-${kind}.png`), fullPage: true });
  };
  await page.waitForLoadState(); // with its style
  await wear(page);
  for (const family of ["Literata", "Public Sans", "JetBrains Mono"]) {
    const faces = await page.evaluate(async (f) => (await document.fonts.load(`1rem "${f}"`)).map((face) => face.status), family);
    assert.deepEqual(faces, ["loaded"], `${name} has no ${family}`);
  }
  for (const [kind, width, scheme] of [["desktop", 1200, "light"], ["tablet", 840, "light"], ["phone", 375, "light"], ["small", 320, "light"], ["dark", 1200, "dark"], ["phone-dark", 375, "dark"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await check(kind, width);
  }
  await page.emulateMedia({ colorScheme: "light" });
  for (const font of strange) {
    await wear(page, font);
    for (const [kind, width] of [["desktop", 1200], ["tablet", 840], ["phone", 375], ["small", 320]]) {
      await page.setViewportSize({ width, height: 900 });
      await check(`${kind}-${font[0]}`, width);
    }
  }
  await wear(page);
  await page.setViewportSize(before);
}
