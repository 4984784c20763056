// Screens organizations in Chromium, keeps a report, and verifies it, as a
// compliance officer would:
//
//   node check.mjs URL EMAIL PASSWORD [SHOTS]
//
// URL is where the site is, with the invented lists of the test; EMAIL has an
// account on a paid plan; SHOTS is a folder for pictures of every page.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { complaints, launch, listen, look } from "./walk.mjs";

const [base, email, password, shots] = process.argv.slice(2);
const browser = await launch();
const kept = await mkdtemp(path.join(os.tmpdir(), "check-"));
const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, acceptDownloads: true });
const page = listen(await context.newPage());

// A stranger sees what it is, and a sample.
await page.goto(`${base}/`);
await page.click("nav >> text=Check");
await page.waitForURL("**/check");
assert.match(await page.textContent(".sample .stamp"), /invented/);
await page.click("#list-ofac summary");
await look(page, "check-stranger", shots);
await page.goto(`${base}/check/000000001`);
await look(page, "check-subject-stranger", shots);
await page.click("a.button:text('Sign in')");
await page.fill("#email", email);
await page.fill("#password", password);
await page.click("button:text('Sign in')");
await page.waitForURL("**/check/000000001");

// A name leads to candidates, and Enter chooses none of them.
await page.goto(`${base}/check`);
await look(page, "check", shots);
await page.fill("#q", "county library");
await page.waitForSelector("#found a");
await page.keyboard.press("Enter");
await page.waitForSelector("#found a");
assert.equal(new URL(page.url()).pathname, "/check", "Enter chose an organization");
const first = await page.getAttribute("#found li:first-child a", "href");
assert.match(first, /^\/check\/\d{9}$/);
await page.click("#found li:first-child a");
await page.waitForURL(base + first);
assert.ok(await page.isVisible("button:text('Screen now')"));
await look(page, "check-subject", shots);

// An EIN leads to whom it names.
await page.goto(`${base}/check`);
await page.fill("#q", "00-0000003");
await page.keyboard.press("Enter");
await page.waitForURL("**/check/000000003");
await page.click("button:text('Screen now')");
await page.waitForSelector(".verdict");
assert.equal(await page.locator(".verdict").count(), 7);
assert.match(await page.textContent("#list-ofac"), /Look closer/);
assert.match(await page.textContent("#list-ca_ftb"), /Not screened/);
assert.ok(!(await page.isVisible("#list-ofac .words")), "the evidence is not folded");
await look(page, "check-result", shots);
await page.focus("#list-ofac summary");
await page.keyboard.press("Enter");
await page.waitForSelector("#list-ofac .words");
const fold = (open) => page.evaluate((open) => { for (const d of document.querySelectorAll("details")) d.open = open; }, open);
await fold(true);
await look(page, "check-result-open", shots);

// The color of a list that was not screened is its own, in light and in dark, and
// every mark can be told from the paper.
const contrast = () => page.evaluate(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const light = (color) => {
    canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) => { c /= 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const colors = {};
  for (const kind of ["ok", "look", "not_screened"]) {
    const color = getComputedStyle(document.querySelector(`.mark.${kind}`)).color, at = light(color);
    colors[color] = (Math.max(at, paper) + .05) / (Math.min(at, paper) + .05);
  }
  return colors;
});
for (const colorScheme of ["light", "dark"]) {
  await page.emulateMedia({ colorScheme });
  const colors = await contrast();
  assert.equal(Object.keys(colors).length, 3, JSON.stringify(colors));
  for (const [color, ratio] of Object.entries(colors)) assert.ok(ratio >= 4.5, `${color} in ${colorScheme} has a contrast of ${ratio}`);
}
await page.emulateMedia({ colorScheme: "light" });

// On paper there is nothing to press, and nothing is folded away.
await fold(false);
await page.emulateMedia({ media: "print" });
assert.ok(!(await page.isVisible("nav")) && !(await page.isVisible("button")));
await page.setViewportSize({ width: 700, height: 1000 }); // A4 and Letter less their margins
const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
assert.ok(wide <= 0, `the page is ${wide} pixels too wide for paper`);
assert.ok((await page.locator("#list-ofac .words").boundingBox()).height > 0, "the evidence is folded on paper");
const pdf = await page.pdf({ format: "Letter", margin: { top: "1.5cm", bottom: "1.5cm", left: "1.5cm", right: "1.5cm" } });
if (shots) {
  await writeFile(path.join(shots, "check-result-print.pdf"), pdf);
  await page.screenshot({ path: path.join(shots, "check-result-print.png"), fullPage: true });
}
await page.emulateMedia({ media: "screen" });
await page.setViewportSize({ width: 1200, height: 900 });

// What is downloaded is the report.
async function download(selector, name) {
  const [d] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  assert.equal(d.suggestedFilename(), name);
  await d.saveAs(path.join(kept, name));
  return path.join(kept, name);
}
const asJSON = await download("text=Download JSON", "screening-000000003-2026-03-10.json");
const asPDF = await download("text=Download PDF", "screening-000000003-2026-03-10.pdf");
assert.equal(JSON.parse(await readFile(asJSON, "utf8")).content.ein, "000000003");
assert.ok((await readFile(asPDF, "latin1")).startsWith("%PDF-"));

// Anybody verifies, with scripts and without.
await page.goto(`${base}/verify`);
await look(page, "verify", shots);
await page.setInputFiles("#file", asPDF);
await page.waitForSelector(".outcome");
assert.match(await page.textContent(".outcome h2"), /This report is valid/);
await look(page, "verify-holds", shots);
const plain = await browser.newContext({ javaScriptEnabled: false });
const other = listen(await plain.newPage());
await other.goto(`${base}/verify`);
await other.setInputFiles("#file", asJSON);
await other.click("button:text('Verify')");
await other.waitForSelector(".outcome.holds");
await other.click("text=Or paste the JSON");
await other.fill("#text", (await readFile(asJSON, "utf8")).replace("potential_match", "clear"));
await other.click("button:text('Verify')");
await other.waitForSelector(".outcome.broken");
assert.match(await other.textContent(".outcome h2"), /is NOT valid/);
await look(other, "verify-broken", shots);
await other.setInputFiles("#file", { name: "x.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7 nothing") });
await other.click("button:text('Verify')");
await other.waitForSelector(".outcome.unknown");
await look(other, "verify-unknown", shots);

await browser.close();
await rm(kept, { recursive: true });
assert.deepEqual(complaints, []);
console.log("screened, kept a report and verified it");
