// Uses the page for queries in Chromium, as a person would:
//
//   node sql.mjs URL KEY [SHOTS]
//
// URL is where the site is, with an API behind it that knows KEY and answers
// every query with the three rows of the test that starts this, unless the
// query says otherwise. SHOTS is a folder for pictures. It ends with a failure
// as soon as something is not as it should be.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { addresses, complaints, launch, listen, look } from "./walk.mjs";

const [base, key, shots] = process.argv.slice(2);

const browser = await launch();

const desktop = await browser.newContext({ viewport: { width: 1200, height: 900 }, permissions: ["clipboard-read", "clipboard-write"], acceptDownloads: true });
const page = listen(await desktop.newPage());
const said = (text) => page.waitForFunction((t) => document.getElementById("sql-status").textContent.includes(t), text);
const refused = (text) => page.waitForFunction((t) => { const p = document.getElementById("sql-problem"); return !p.hidden && p.textContent.includes(t); }, text);
const focused = () => page.evaluate(() => document.activeElement.id);

// The page is found from the front, and asks for a key before it asks the API.
await page.goto(base);
await page.click("nav >> text=SQL");
await page.waitForURL("**/sql");
await look(page, "sql", shots);
await page.click("#run");
await refused("A key is needed");
assert.equal(await focused(), "api-key");
await page.fill("#api-key", "gg_p_another");
await page.click("#run");
await refused("nobody has that key");
await refused("Try: make one on the page of your account");

// A query from the keyboard alone.
await page.fill("#api-key", key);
await page.keyboard.press("Tab");
assert.equal(await focused(), "query");
await page.keyboard.press("Control+A");
await page.keyboard.type("SELECT name\nFROM orgs");
await page.keyboard.press("Control+]");
assert.equal(await page.inputValue("#query"), "SELECT name\n  FROM orgs");
await page.keyboard.press("Control+[");
assert.equal(await page.inputValue("#query"), "SELECT name\nFROM orgs");
await page.keyboard.press("Tab");
assert.equal(await focused(), "run", "Tab does not leave the editor");
await page.keyboard.press("Shift+Tab");
await page.keyboard.press("Control+Enter");
await said("3 rows, in 34 ms. 1,249 calls left.");
assert.ok(await page.isHidden("#sql-problem"));
assert.ok(await page.isHidden("#cut"));
assert.deepEqual(await page.$$eval("#rows tbody tr", (rows) => rows.map((r) => [...r.cells].map((c) => c.textContent))), [
  ["HARBOR LIGHT FOOD BANK", "Dayton", "9007199254740993", "0.250", "false", "[2021,9007199254740993]"],
  ['<b>QUOTED</b>, "INC"', "null", "1200", "null", "true", "[]"],
  ["=1+1", "", "-5", "-0.5", "false", "null"],
]);
assert.equal(await page.locator("#rows .null").count(), 3);
assert.deepEqual(await page.$$eval("#rows th", (list) => list.map((th) => getComputedStyle(th).textAlign === "right")), [false, false, true, true, false, false]);
assert.ok(await page.evaluate(() => document.getElementById("rows").getBoundingClientRect().bottom <= innerHeight), "the rows are out of sight");
await look(page, "sql-result", shots);

// The rows as CSV.
const [download] = await Promise.all([page.waitForEvent("download"), page.click("#csv")]);
assert.equal(download.suggestedFilename(), "grantgraph-query.csv");
assert.equal(await readFile(await download.path(), "utf8"), `\ufeffname,city,dollars,share,is_daf,years
HARBOR LIGHT FOOD BANK,Dayton,9007199254740993,0.250,false,"[2021,9007199254740993]"
"<b>QUOTED</b>, ""INC""",,1200,,true,[]
'=1+1,,-5,-0.5,false,
`);

// A link holds the query and not the key.
await page.fill("#query", "SELECT 'a+b & 100%' AS \"é\"\n-- #truncated");
await page.click("#share");
await said("The link is copied.");
const link = await page.evaluate(() => navigator.clipboard.readText());
assert.ok(link.startsWith(`${base}/sql#q=`) && !link.includes(key), link);
const other = listen(await (await browser.newContext()).newPage());
await other.goto(link);
assert.equal(await other.inputValue("#query"), "SELECT 'a+b & 100%' AS \"é\"\n-- #truncated");
assert.equal(await other.inputValue("#api-key"), "", "the key left its tab");
await other.close();

// Rows that were left out are spoken of, and the key outlives a reload.
await page.reload();
assert.equal(await page.inputValue("#api-key"), key);
await page.click("#run");
await said("3 rows, and there are more");
assert.match(await page.textContent("#cut"), /more rows than these 3/);

// No rows are an answer too.
await page.fill("#query", "SELECT nothing");
await page.click("#run");
await said("0 rows, in 1 ms.");
assert.equal(await page.textContent("#cut"), "No rows match this query.");
assert.ok(await page.isVisible("#cut"));

// What is refused says why, and takes the old rows away.
await page.fill("#query", "SELECT 1 FORM orgs");
await page.click("#run");
await refused('syntax error at or near "FORM"');
await refused("Try: write FROM");
assert.ok(await page.isHidden("#result"));
await look(page, "sql-refused", shots);
await page.fill("#query", "SELECT garbage");
await page.click("#run");
await refused("The response did not come from the API");

// A query under way is seen, and can be stopped.
await page.fill("#query", "SELECT wait");
await page.click("#run");
await page.waitForFunction(() => /^\d+\.\d s$/.test(document.getElementById("clock").textContent));
assert.equal(await page.textContent("#run"), "Running…");
if (shots) await page.screenshot({ path: path.join(shots, "sql-running.png") });
await page.click("#stop");
await said("Stopped.");
assert.equal(await page.textContent("#run"), "Run");
assert.equal(await focused(), "run");

// Examples fill the editor, and the editor's undo takes that back.
await page.fill("#query", "SELECT mine");
await page.click(".starters a >> nth=1");
const example = await page.inputValue("#query");
assert.match(example, /^(SELECT|WITH) /);
assert.equal(await focused(), "query");
assert.ok((await page.evaluate(() => location.hash)).startsWith("#q="));
await page.keyboard.press("Control+Z");
assert.equal(await page.inputValue("#query"), "SELECT mine");

// The schema: filter, open, write a name into the editor.
await page.fill("#filter", "recipient_raw");
const left = await page.locator("details.table:visible").count(), all = await page.locator("details.table").count();
assert.ok(left > 0 && left < all);
assert.match(await page.textContent("#sieve-status"), new RegExp(`^${left} of ${all} tables$`));
assert.ok(await page.isVisible("#table-grants li[data-name=recipient_raw]"));
assert.ok(await page.isHidden("#table-grants li[data-name=amount]"));
await page.fill("#query", "SELECT");
await page.click("#table-grants li[data-name=recipient_raw] button");
assert.equal(await page.inputValue("#query"), "SELECT recipient_raw");
assert.equal(await focused(), "query");
await page.focus("#table-grants li[data-name=recipient_raw] button");
await page.keyboard.press("Enter");
assert.equal(await page.inputValue("#query"), "SELECT recipient_raw recipient_raw");
assert.equal(await page.evaluate(() => document.activeElement.textContent), "recipient_raw");
await page.fill("#filter", "no such word");
assert.match(await page.textContent("#sieve-status"), /No table/);
await page.fill("#filter", "");
assert.equal(await page.locator("details.table:visible").count(), all);
assert.equal(await page.locator("details.table[open]").count(), 0);
await page.click("#table-grants summary");
await page.evaluate(() => document.querySelectorAll("details.table").forEach((d) => { d.open = true; })); // some have longer names
await look(page, "sql-schema", shots);

// Without scripts there is no editor, but all there is to know.
const plain = listen(await (await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1200, height: 900 } })).newPage());
await plain.goto(`${base}/sql`);
assert.ok(await plain.isHidden("#query"));
assert.ok(await plain.isVisible("#curl"));
await plain.click("#table-grants summary");
assert.ok(await plain.isVisible("#table-grants pre >> nth=0"));
if (shots) await plain.screenshot({ path: path.join(shots, "sql-plain.png") });

await browser.close();
assert.deepEqual(complaints, []);
assert.ok(!addresses.some((a) => a.includes(key)), "the key was in an address");
console.log("asked in SQL");
