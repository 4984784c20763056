// Keeps a list of grantees in Chromium, screens it and downloads all reports, as an
// auditor would:
//
//   node lists.mjs URL EMAIL PASSWORD FUNDER FOLDER [SHOTS]
//
// URL is where the service is, EMAIL has an account on a paid plan, FUNDER is the page of an
// organization, FOLDER gets what is downloaded, and SHOTS is a folder for pictures.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { complaints, launch, listen, look } from "./walk.mjs";

const [base, email, password, funder, folder, shots] = process.argv.slice(2);
const axe = await readFile(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, acceptDownloads: true, bypassCSP: true });
const page = listen(await context.newPage());

// see looks at a page at every width, and lets axe read it.
async function see(name) {
  await look(page, name, shots);
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run(document, { resultTypes: ["violations"], preload: false })).violations.map((v) => `${v.id}: ${v.nodes[0].html}`));
  assert.deepEqual(found, [], name);
}

await page.goto(`${base}/lists`);
await page.fill("#email", email);
await page.fill("#password", password);
await page.click("button:text('Sign in')");
await page.waitForURL("**/lists");
await see("lists");

// A list from a spreadsheet with an EIN, a line that has none, and a name.
const rows = ["Grantee,EIN", "Maple Hollow Food Pantry,00-0000001"];
for (let i = 1; i <= 100; i++) rows.push(`Grantee ${i},07-${String(i).padStart(7, "0")}`);
rows.push("County Library,", "Broken,12-34");
await page.fill("#name", "Grantees 2026");
await page.setInputFiles("#file", { name: "grantees.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) });
await page.click("button:text('Create the list')");
await page.waitForSelector(".notice");
assert.match(await page.textContent(".notice"), /Added 102 organizations/);
assert.match(await page.textContent(".problem"), /12-34/);
await page.goto(`${base}/lists`);
await page.click("text=Grantees 2026");
await page.waitForSelector("text=Settings");
const list = page.url();
await see("list");

// Who is meant by a name, nobody decides but the person.
await page.goto(`${list}/names`);
assert.ok(await page.isChecked("input[type=radio][value='']"));
await see("list-names");

// An organization is added from its own page, without a script.
const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
const other = listen(await plain.newPage());
await other.goto(base + funder);
await other.click("text=Add to a list");
await other.click("button:text('Add them')");
await other.waitForSelector(".notice");
assert.match(await other.textContent(".notice"), /Added 1 organization/);
await page.goto(`${base}/lists/add?ein=000000001`);
await see("list-add");

// The history is kept, and the list is screened to its end with nobody's help.
await page.goto(list);
await page.check("input[name=keep]");
await page.click("button:text('Save')");
await page.waitForSelector(".notice");
await page.click("button:text('Screen the list')");
await page.waitForSelector("text=Download all reports");
assert.match(await page.textContent(".lead"), /103 organizations/);
await see("list-run");
const save = async (selector, name) => {
  const [d] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  await d.saveAs(path.join(folder, name));
};
await save("a[href$='reports.zip']", "reports.zip");
await save("a[href$='results.csv']", "results.csv");
await save("a[href$='results.xlsx']", "results.xlsx");
const table = (await readFile(path.join(folder, "results.csv"), "utf8")).trim().split("\n");
assert.equal(table.length, 104);

// Later: when did we last check, and what did it say?
await page.goto(list);
assert.equal(await page.locator("#history ~ ul > li").count(), 1);
assert.match(await page.textContent("#history ~ ul"), /kept until/);

await browser.close();
assert.deepEqual(complaints, []);
console.log("kept a list, screened it and downloaded every report");
