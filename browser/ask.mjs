// Asks questions in Chromium, as somebody would: an answer comes part by part, a
// part of how it was understood is changed, a stream is cut and goes on, and after
// three answers nothing more is free:
//
//   node ask.mjs URL [SHOTS]
//
// URL is where the site is.
import assert from "node:assert/strict";
import { complaints, launch, listen } from "./walk.mjs";

const [base] = process.argv.slice(2);
const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, extraHTTPHeaders: { "X-Forwarded-For": "198.18.7.1" } });
const page = listen(await context.newPage());
const said = () => page.locator("#reply .sentence").innerText();
const left = () => page.locator("#left").innerText();

// ask types a question and waits for the end of the stream.
async function ask(question) {
  await page.fill("#question", question);
  await page.click("#send");
  await ended();
}
const ended = () => page.waitForFunction(() => { const r = document.getElementById("reply"); return !r.hasAttribute("aria-busy") && r.querySelector("section"); });

await page.goto(`${base}/ask`);
assert.match(await left(), /3 of 3/);
assert.equal(await page.locator(".starters a").count(), 3);

// If filings cannot answer a question, the page says so, and nothing is counted.
await ask("why did giving fall");
assert.match(await page.locator("#reply").innerText(), /cannot answer/);
await ask("");
assert.equal(await page.locator("#reply .sentence").count(), 0);

// A question that is offered is answered for free, on the page and at an address of its own.
await page.locator("#reply .unclear .starters a").last().click();
await ended();
const first = await said();
assert.match(first, /\d/);
assert.match(page.url(), /\/ask\?q=/);
assert.match(await left(), /3 of 3 free/);

// The same without scripts.
const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState(), extraHTTPHeaders: { "X-Forwarded-For": "198.18.7.1" } });
const still = await plain.newPage();
await still.goto(page.url());
assert.equal(await still.locator("#reply .sentence").innerText(), first);
assert.match(await still.locator("#left").innerText(), /3 of 3 free/);

// A part that is taken off is another question.
await page.locator(".parts .off").first().click();
await ended();
assert.match(page.url(), /plan=/);
assert.notEqual(await said(), first);
assert.match(await left(), /^2 free/);

// A stream that is cut goes on where it was cut, and is counted once.
const resumed = [];
let cut = true;
await page.route("**/api/v1/analyze", async (route) => {
  resumed.push(route.request().headers()["last-event-id"] ?? "");
  const answer = await route.fetch(), body = await answer.text();
  await route.fulfill({ response: answer, body: cut ? body.slice(0, body.indexOf("event: rows")) : body });
  cut = false;
});
await ask("how many grants were made?");
assert.equal(resumed.length, 2);
assert.match(resumed[1], /\.2$/);
assert.match(await said(), /\d/);
assert.equal(await page.locator("#reply .same").count(), 1);
assert.match(await left(), /^1 free/);
await page.unroute("**/api/v1/analyze");
await ask("how many funders are there?");
assert.match(await left(), /last of today/);

// Nothing more is free; a key can pay.
await ask("how much was given for education?");
assert.match(await page.locator("#reply .wrong").innerText(), /No free questions left today/);
assert.ok(await page.locator("#api-key").isVisible());

// A program is refused, whatever cookies it has.
const refused = await page.request.post(`${base}/api/v1/analyze`, { data: { question: "how many grants were made?" } });
assert.equal(refused.status(), 403);
assert.equal((await refused.json()).error, "not_public");

assert.deepEqual(complaints, []);
await browser.close();
