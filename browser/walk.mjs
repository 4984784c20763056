// What every walk through the site needs: a browser, an ear for what it
// complains about, and a look at each page in several sizes.
import assert from "node:assert/strict";
import path from "node:path";
import { chromium } from "playwright-core";

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// What the browser complains about, such as a script that the policy of the
// page forbids, fails the walk. A page that refuses a form or a query is no
// complaint. Every address asked for is kept too: some things must not be in one.
export const complaints = [], addresses = [];
export function listen(page) {
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (e) => complaints.push(String(e)));
  page.on("console", (m) => {
    if (m.type() === "error" && !m.text().startsWith("Failed to load resource")) complaints.push(m.text());
  });
  page.on("request", (r) => addresses.push(r.url()));
  return page;
}

// look checks a page at the width of a desk, a tablet and a phone, in light and
// in dark: nothing may stick out to the side. Pictures go to the folder shots,
// if there is one.
export async function look(page, name, shots) {
  const before = page.viewportSize();
  for (const [kind, width, scheme] of [["desk", 1200, "light"], ["tablet", 840, "light"], ["phone", 375, "light"], ["small", 320, "light"], ["dark", 1200, "dark"], ["phone-dark", 375, "dark"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    const out = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(out <= 0, `${name} is ${out} pixels too wide on a ${kind} of ${width}`);
    if (shots) await page.screenshot({ path: path.join(shots, `${name}-${kind}.png`), fullPage: true });
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
}
