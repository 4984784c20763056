// Uses the page for queries in Chromium, as a person would:
//
//   node sql.mjs URL KEY EMAIL PASSWORD [SHOTS]
//
// URL is where the site is; KEY is of the Plus plan, and so is the account of
// EMAIL. SHOTS is a folder for pictures. It ends with a failure as soon as
// something is not as it should be.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { addresses, complaints, launch, listen, look } from "./walk.mjs";

const [base, key, email, password, shots] = process.argv.slice(2);

const browser = await launch();
const axe = await readFile(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

const desktop = await browser.newContext({ viewport: { width: 1200, height: 900 }, permissions: ["clipboard-read", "clipboard-write"], acceptDownloads: true });
const page = listen(await desktop.newPage());
const said = (text) => page.waitForFunction((t) => document.getElementById("sql-status").textContent.includes(t), text);
const refused = (text) => page.waitForFunction((t) => document.getElementById("sql-problem")?.textContent.includes(t), text);
const focused = () => page.evaluate(() => document.activeElement.id);
const cells = () => page.$$eval("#rows tbody tr", (rows) => rows.map((r) => [...r.cells].map((c) => c.textContent)));
const ready = () => page.waitForSelector("#editor[data-ready]");
async function fair(name) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(" ")).join(", ")}`));
  assert.deepEqual(found, [], `${name}: axe finds something`);
}

// The page is found from the front, and asks for a key before anything is sent.
await page.goto(base);
await page.click("nav >> text=SQL");
await page.waitForURL("**/sql");
await ready();
await look(page, "sql", shots);
await page.click("#run");
await refused("A key is needed");
assert.equal(await focused(), "api-key");
await page.fill("#api-key", "gg_p_another");
await page.click("#run");
await refused("Try: check that the whole key was sent");

// A query from the keyboard alone.
await page.fill("#api-key", key);
await page.focus("#query");
await page.keyboard.press("Control+A");
await page.keyboard.type("SELECT name\nFROM orgs ");
await page.keyboard.press("Control+]");
assert.equal(await page.inputValue("#query"), "SELECT name\n  FROM orgs ");
await page.keyboard.press("Control+[");
assert.equal(await page.inputValue("#query"), "SELECT name\nFROM orgs ");
await page.keyboard.press("Tab");
assert.equal(await focused(), "run", "Tab does not leave the editor");
await page.keyboard.press("Shift+Tab");

// What a table could get wrong: a null, a number beyond the precision of the
// browser, markup, a formula.
const hard = `SELECT * FROM (VALUES
  ('HARBOR LIGHT FOOD BANK', 'Dayton', 9007199254740993::BIGINT, 0.25, 2021),
  ('<b>QUOTED</b>, "INC"', NULL, 1200, NULL, 2022),
  ('=1+1', '', -5, -0.5, 2023)) t(name, city, dollars, share, tax_year)`;
await page.fill("#query", hard);
await page.keyboard.press("Control+Enter");
await said("3 rows, in ");
await said("249 calls left today.");
assert.equal(await page.locator("#sql-problem").count(), 0);
assert.deepEqual(await cells(), [
  ["HARBOR LIGHT FOOD BANK", "Dayton", "$9,007,199,254,740,993", "0.25", "2021"],
  ['<b>QUOTED</b>, "INC"', "null", "$1,200", "null", "2022"],
  ["=1+1", "", "-$5", "-0.5", "2023"],
]);
assert.equal(await page.locator("#rows .null").count(), 2);
await look(page, "sql-result", shots);
await fair("a result");

// Each column can be sorted, from the keyboard too; what is null stays last.
await page.click("#rows th >> nth=2 >> button");
assert.equal(await page.getAttribute("#rows th >> nth=2", "aria-sort"), "descending");
await page.focus("#rows th:nth-child(3) button");
await page.keyboard.press("Enter");
assert.deepEqual((await cells()).map((r) => r[2]), ["-$5", "$1,200", "$9,007,199,254,740,993"]);
assert.equal(await page.textContent("#sql-ear"), "Sorted by dollars, ascending.");
await page.click("#rows th >> nth=3 >> button");
assert.deepEqual((await cells()).map((r) => r[3]), ["0.25", "-0.5", "null"]);

// Views, without another query.
const asked = () => addresses.filter((a) => new URL(a).pathname.startsWith("/sql")).length, before = asked();
await page.click("label[for=view-line]");
assert.ok(await page.isVisible(".view.line svg") && await page.isHidden("#rows"));
assert.ok(await page.isDisabled("#view-map"));
assert.match(await page.textContent("#no-map"), /no column has codes of states/);
await page.focus("#view-line");
await page.keyboard.press("ArrowLeft");
assert.ok(await page.isVisible(".view.bar") && await page.isHidden(".view.line"));
assert.match(page.url(), /&view=bar$/);
assert.equal(asked(), before, "a view asks the server");
await fair("bars");
await page.click("label[for=view-table]");

// The rows as CSV, and as a workbook.
const [download] = await Promise.all([page.waitForEvent("download"), page.click("#csv")]);
assert.equal(download.suggestedFilename(), "grantgraph-query.csv");
assert.equal(await readFile(await download.path(), "utf8"), `\ufeffname,city,dollars,share,tax_year
HARBOR LIGHT FOOD BANK,Dayton,9007199254740993,0.25,2021
"<b>QUOTED</b>, ""INC""",,1200,,2022
'=1+1,,-5,-0.5,2023
`);
const [book] = await Promise.all([page.waitForEvent("download"), page.click("button:text('Excel')")]);
assert.match(book.suggestedFilename(), /^grantgraph-query-.*\.xlsx$/);

// A link holds the query and not the key.
await page.fill("#query", "SELECT 'a+b & 100%' AS \"é\"\n-- #");
await page.click("#share");
await said("The link is copied.");
const link = await page.evaluate(() => navigator.clipboard.readText());
assert.ok(link.startsWith(`${base}/sql?q=`) && !link.includes(key), link);
const other = listen(await (await browser.newContext()).newPage());
await other.goto(link);
assert.equal(await other.inputValue("#query"), "SELECT 'a+b & 100%' AS \"é\"\n-- #");
assert.equal(await other.inputValue("#api-key"), "", "the key left its tab");
assert.equal(await other.locator("#rows").count(), 0, "a link ran the query");
await other.goto(`${base}/sql#q=${encodeURIComponent("SELECT 'old + link'")}`);
assert.equal(await other.inputValue("#query"), "SELECT 'old + link'");
await other.close();

// Rows that were left out are spoken of, and the key outlives a reload.
await page.reload();
assert.equal(await page.inputValue("#api-key"), key);
await page.fill("#query", "SELECT i FROM range(3000) r(i)");
await page.click("#run");
await said("2,000 rows, and there are more");
assert.match(await page.textContent(".cut"), /more than these 2,000 rows/);

// No rows are an answer too.
await page.fill("#query", "SELECT name FROM orgs WHERE ein = 'none'");
await page.click("#run");
await said("0 rows, in ");
assert.equal(await page.textContent(".cut"), "No rows match this query.");

// What is refused says why, and takes the old rows away.
await page.fill("#query", "SELECT 1 FORM orgs");
await page.click("#run");
await refused("orgs");
assert.equal(await page.locator("#rows").count(), 0);
await look(page, "sql-refused", shots);

// A query under way is seen, and can be stopped.
await page.fill("#query", "SELECT count(*) FROM grants a, grants b, grants c WHERE hash(a.amount, b.amount, c.amount) = 1");
await page.click("#run");
await page.waitForFunction(() => /^\d+\.\d s$/.test(document.getElementById("clock").textContent));
assert.equal(await page.textContent("#run"), "Running…");
await page.click("#stop");
await said("Stopped.");
assert.equal(await page.textContent("#run"), "Run");
assert.equal(await focused(), "run");

// Colors lie exactly under what is typed.
await page.fill("#query", "SELECT name, 'text' AS x, 12 -- note\nFROM orgs o\nWHERE o.state = upper('oh')");
const kinds = await page.$$eval("#editor .ink span", (list) => list.map((s) => `${s.className} ${s.textContent}`));
assert.deepEqual(kinds, ["keyword SELECT", "text 'text'", "keyword AS", "number 12", "comment -- note", "keyword FROM", "known orgs", "keyword WHERE", "call upper", "text 'oh'"]);
assert.equal(await page.evaluate(() => document.querySelector("#editor .ink").textContent), (await page.inputValue("#query")) + "\n");
const wide = await page.evaluate(() => {
  const ink = document.querySelector("#editor .ink"), field = document.getElementById("query"), a = getComputedStyle(ink), b = getComputedStyle(field);
  return ["fontFamily", "fontSize", "lineHeight", "paddingLeft", "paddingTop", "borderLeftWidth", "borderTopWidth", "tabSize", "letterSpacing"].filter((p) => a[p] !== b[p]);
});
assert.deepEqual(wide, [], "the colors are elsewhere than the letters");
await page.fill("#query", "x".repeat(30_000));
assert.ok(await page.evaluate(() => !document.getElementById("editor").classList.contains("lit")), "a long query is colored");

// Suggestions, from the keyboard, said aloud, and never in the way.
const active = () => page.getAttribute("#query", "aria-activedescendant");
await page.fill("#query", "");
await page.focus("#query");
await page.keyboard.type("SELECT g.recipient_r");
assert.ok(await page.isHidden("#suggest"), "there is no table g");
await page.fill("#query", "");
await page.keyboard.type("SELECT * FROM gra");
await page.waitForSelector("#suggest:not([hidden])");
assert.equal(await active(), null, "something is chosen before anybody chose");
assert.match(await page.textContent("#editor [role=status]"), /suggestions?: grants/);
await page.keyboard.press("ArrowDown");
assert.equal(await active(), "suggest-0");
assert.equal(await page.getAttribute("#suggest-0", "aria-selected"), "true");
await fair("suggestions");
if (shots) await page.screenshot({ path: path.join(shots, "sql-suggest.png") });
await page.keyboard.press("Enter");
assert.equal(await page.inputValue("#query"), "SELECT * FROM grants");
await page.keyboard.type(" g WHERE g.recipient_r");
await page.waitForSelector("#suggest:not([hidden])");
assert.equal(await page.textContent("#suggest-0"), "recipient_rawvarchar");
await page.keyboard.press("Escape");
assert.ok(await page.isHidden("#suggest"));
await page.keyboard.press("Control+Space");
await page.keyboard.press("ArrowDown");
await page.keyboard.press("Enter");
assert.ok((await page.inputValue("#query")).endsWith("g.recipient_raw"));
await page.keyboard.press("Control+Z");
assert.ok((await page.inputValue("#query")).endsWith("g.recipient_r"), "undo does not take a suggestion back");
await page.keyboard.type(" = 'gra");
assert.ok(await page.isHidden("#suggest"), "suggestions inside a text");
await page.keyboard.type("' AND am");
await page.waitForSelector("#suggest:not([hidden])");
await page.keyboard.press("Enter");
assert.ok((await page.inputValue("#query")).endsWith("AND am\n"), "Enter takes what nobody chose");
await page.keyboard.type("am");
await page.waitForSelector("#suggest:not([hidden])");
await page.click("#suggest-0");
assert.ok((await page.inputValue("#query")).endsWith("amount"));

// The history is kept in this browser, and can be deleted.
await page.fill("#query", "SELECT 1 AS first");
await page.click("#run");
await said("1 row, in ");
await page.reload();
await page.click("#history summary");
assert.match(await page.textContent("#history-list li >> nth=0"), /^SELECT 1 AS first/);
const kept = await page.locator("#history-list li").count();
await page.click("#history-list li >> nth=1 >> .old");
assert.notEqual(await page.inputValue("#query"), "SELECT 1 AS first");
await page.click("#history-list li >> nth=0 >> text=Delete");
assert.equal(await page.locator("#history-list li").count(), kept - 1);
await fair("the history");
await page.evaluate(() => localStorage.setItem("grantgraph.queries", '[{"q":5},null,{"q":"SELECT <b>","t":1}]'));
await page.reload();
assert.equal(await page.locator("#history-list li").count(), 1, "a damaged history is shown");
await page.click("#history summary");
await page.click("#history-clear");
assert.ok(await page.isHidden("#history"));

// Examples fill the editor, and the editor's undo takes that back.
await page.fill("#query", "SELECT mine");
await page.click("#table-grants summary");
await page.click("#table-grants a.example >> nth=1");
assert.match(await page.inputValue("#query"), /^(SELECT|WITH) /);
assert.equal(await focused(), "query");
assert.ok((await page.evaluate(() => location.search)).startsWith("?q="));
await page.keyboard.press("Control+Z");
assert.equal(await page.inputValue("#query"), "SELECT mine");
await page.click("#table-grants summary");

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
await page.evaluate(() => document.querySelectorAll("details.table").forEach((d) => { d.open = true; })); // some have longer names
await look(page, "sql-schema", shots);

// A member needs no key; an EIN leads to its page; the gallery knows the view.
await page.goto(`${base}/signin?next=/sql/largest-foundations`);
await page.fill("#email", email);
await page.fill("#password", password);
await page.click("main button:text('Sign in')");
await page.waitForURL("**/sql/largest-foundations");
assert.equal(await page.locator("#api-key").count(), 0);
await page.click("#run");
await said("249 calls left today.");
assert.ok(await page.isVisible(".view.bar"));
assert.equal(new URL(page.url()).pathname, "/sql/largest-foundations");
await page.click("label[for=view-table]");
assert.match(await page.getAttribute("#rows tbody a >> nth=0", "href"), /^\/org\/\d{9}\//);

// Without scripts the form is sent as it is.
const plain = listen(await (await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1200, height: 900 } })).newPage());
await plain.goto(`${base}/sql/giving-by-year`);
await plain.fill("#api-key", key);
await plain.click("#run"); // which does not wait for the page that it leads to
await plain.waitForSelector(".view.line svg");
await plain.waitForLoadState();
assert.ok(await plain.isHidden("#rows"));
await plain.click("label[for=view-table]");
assert.ok(await plain.isVisible("#rows") && await plain.isHidden(".view.line"));
assert.equal(await plain.inputValue("#api-key"), "");
await plain.click("#table-grants summary");
await Promise.all([plain.waitForNavigation(), plain.click("#table-grants a.example >> nth=0")]);
assert.match(await plain.inputValue("#query"), /^SELECT recip_id/);
if (shots) await plain.screenshot({ path: path.join(shots, "sql-plain.png") });

await browser.close();
assert.deepEqual(complaints, []);
assert.ok(!addresses.some((a) => a.includes(key)), "the key was in an address");
console.log("asked in SQL");
