// Does the work of six people in Chromium, as somebody would who has never seen
// the site, and counts what they have to press:
//
//   node tasks.mjs URL EMAIL PASSWORD FACTS [SHOTS]
//
// URL is where the site is; EMAIL has an account on the Pro plan; FACTS is a file
// that says whom they look for: {"zip", "fund": {"name", "ein"}, "grantee":
// {"name", "ein"}}. SHOTS is a folder for pictures of where they end.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { complaints, launch, listen } from "./walk.mjs";

const [base, email, password, facts, shots] = process.argv.slice(2);
const { zip, fund, grantee } = JSON.parse(await readFile(facts, "utf8"));
const browser = await launch();
const kept = await mkdtemp(path.join(os.tmpdir(), "tasks-"));
const told = [];
let people = 0;

// person is somebody with a browser, who counts presses: of a mouse, or of Enter
// after typing.
async function person() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, extraHTTPHeaders: { "X-Forwarded-For": `198.18.0.${++people}` } });
  const page = listen(await context.newPage());
  let clicks = 0;
  const main = (what) => page.locator("main").locator(what).first();
  return {
    page,
    get clicks() { return clicks; },
    main,
    // go presses something that leads to another page.
    async go(what, to) {
      clicks++;
      await Promise.all([page.waitForURL(to), what.click()]);
      await page.waitForLoadState();
    },
    async press(what) { clicks++; await what.click(); },
    // tick chooses one of a list, which may have to be unfolded.
    async tick(what, to) {
      if (!(await what.isVisible())) await this.press(what.locator("xpath=ancestor::details[1]/summary"));
      await this.go(what, to);
    },
    async enter(to) {
      clicks++;
      await Promise.all([page.waitForURL(to), page.keyboard.press("Enter")]);
      await page.waitForLoadState();
    },
    // file presses something that gives a file, and reads it.
    async file(what, name) {
      clicks++;
      const [d] = await Promise.all([page.waitForEvent("download"), what.click()]);
      assert.match(d.suggestedFilename(), name);
      const at = path.join(kept, `${people}-${d.suggestedFilename()}`);
      await d.saveAs(at);
      return readFile(at);
    },
    async signIn() {
      await page.fill("main #email", email);
      await page.fill("main #password", password);
    },
  };
}

// done tells how it went. The link that a task ends with shows the same to
// somebody else.
async function done(who, p, most, link, proof) {
  if (shots) await p.page.screenshot({ path: path.join(shots, `task-${who.replaceAll(" ", "-")}.png`), fullPage: true });
  const stranger = await person();
  const answer = await stranger.page.goto(link);
  assert.equal(answer.status(), 200, `${who}: ${link} answers ${answer.status()}`);
  assert.match(await stranger.page.textContent("main"), proof, `${who}: ${link} does not show the same to others`);
  await stranger.page.context().close();
  await p.page.context().close();
  told.push(`${who}: ${p.clicks} clicks, ${new URL(link).pathname}${new URL(link).search}`);
  assert.ok(p.clicks <= most, `${who} needs ${p.clicks} clicks, ${most} are the most`);
}

const lines = (text) => text.toString("utf8").trim().split("\n");
const word = (text) => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");

// A food bank's development director looks for funders nearby, and takes their
// list along.
{
  const p = await person();
  await p.page.goto(`${base}/`);
  await p.go(p.main("a:text('Find funders near you')"), "**/explore?tab=funders");
  await p.tick(p.main("#facet-cause label:has-text('Food')"), /subject=K/);
  await p.page.fill("main input[name=near]", zip);
  await p.enter(new RegExp(`near=${zip}`));
  const link = p.page.url();
  assert.ok(await p.page.locator(".parties tbody tr").count() > 0, "there are no funders near the ZIP code");
  await p.go(p.main("a:text('Download')"), "**/signin**");
  await p.signIn();
  await p.go(p.main("button:text('Sign in')"), "**/download?**");
  const rows = lines(await p.file(p.main("button:text('CSV')"), /\.csv$/));
  assert.match(rows[0], /^funder_ein,funder_name,/);
  assert.ok(rows.length > 1, "the file has no funder");
  await done("a development director", p, 7, link, /within/i);
}

// A journalist follows the money of a donor-advised fund over the years.
{
  const p = await person();
  await p.page.goto(`${base}/`);
  await p.page.keyboard.press("/");
  await p.page.keyboard.type(fund.name);
  await p.enter("**/search?**");
  await p.go(p.main(`a[href^='/org/${fund.ein}/']`), `**/org/${fund.ein}/**`);
  await p.go(p.page.locator("nav.tabs a:has-text('Recipients')"), "**/recipients");
  assert.ok(await p.page.locator("main thead th.n").count() > 3, "there is no column for each year");
  const link = p.page.url();
  await p.go(p.main("a:text('Explore what it gave')"), "**/explore?**");
  await p.go(p.main("a:text('Download')"), "**/signin**");
  await p.signIn();
  await p.go(p.main("button:text('Sign in')"), "**/download?**");
  const rows = lines(await p.file(p.main("button:text('CSV')"), /\.csv$/));
  assert.match(rows[0], /fiscal_year/);
  assert.ok(rows.length > 1 && rows.slice(1).every((r) => r.includes(fund.ein)), "the file is not of the fund");
  await done("a journalist", p, 7, link, word("Recipients"));
}

// A program officer looks at a grantee's other funders.
{
  const p = await person();
  await p.page.goto(`${base}/`);
  await p.page.fill("#q", grantee.name);
  await p.enter("**/search?**");
  await p.go(p.main(`a[href^='/org/${grantee.ein}/']`), `**/org/${grantee.ein}/**`);
  await p.go(p.page.locator("nav.tabs a:has-text('Funders')"), "**/funders");
  assert.ok(await p.page.locator("main tbody tr").count() > 1, "there are no other funders");
  const link = p.page.url();
  await p.go(p.main("a:text('Explore what it received')"), "**/explore?**");
  await p.go(p.page.locator("nav.tabs a:has-text('Funders')"), /tab=funders/);
  await p.go(p.main("a:text('Download')"), "**/signin**");
  await p.signIn();
  await p.go(p.main("button:text('Sign in')"), "**/download?**");
  const book = await p.file(p.main("button:text('Excel')"), /\.xlsx$/);
  assert.equal(book.subarray(0, 2).toString(), "PK", "the file is no workbook");
  await done("a program officer", p, 8, link, /funder/i);
}

// A compliance officer checks a grantee and keeps the signed report.
{
  const p = await person();
  await p.page.goto(`${base}/`);
  await p.go(p.main("a:text('Check a grantee')"), "**/check");
  await p.go(p.page.locator("nav a:text('Sign in')"), "**/signin**");
  await p.signIn();
  await p.go(p.main("button:text('Sign in')"), (url) => url.pathname !== "/signin");
  if (new URL(p.page.url()).pathname !== "/check") await p.go(p.page.locator("nav a:text('Check')"), "**/check");
  await p.page.fill("main #q", grantee.ein);
  await p.enter(`**/check/${grantee.ein}`);
  const link = p.page.url();
  await p.press(p.main("button:text('Screen now')"));
  await p.page.waitForSelector(".verdict");
  const report = await p.file(p.main("button:text('Download PDF')"), /\.pdf$/);
  assert.equal(report.subarray(0, 5).toString(), "%PDF-", "the file is no report");
  await done("a compliance officer", p, 7, link, word(grantee.ein.slice(2)));
}

// An analyst sums a cause up by year and state, and takes the query and the rows
// along.
{
  const p = await person();
  await p.page.goto(`${base}/`);
  await p.go(p.page.locator("nav a:text('Explore')"), "**/explore");
  await p.tick(p.main("#facet-cause label:has-text('Education')"), /subject=B/);
  await p.go(p.page.locator("nav.tabs a:has-text('Summary')"), /tab=summary/);
  const link = p.page.url();
  await p.press(p.main("summary:text('Use this view in your own program')"));
  assert.match(await p.page.textContent("details.same"), /SELECT[^]*FROM grants/);
  await p.go(p.main("a:text('Download')"), "**/signin**");
  await p.signIn();
  await p.go(p.main("button:text('Sign in')"), "**/download?**");
  const rows = lines(await p.file(p.main("button:text('CSV')"), /\.csv$/));
  assert.match(rows[0], /fiscal_year,total_amount/);
  await done("an analyst", p, 7, link, /Education/);
}

// A developer makes a key and calls the API with the line that the page shows.
{
  const p = await person();
  await p.page.goto(`${base}/`);
  await p.go(p.page.locator("nav a:text('Sign in')"), "**/signin**");
  await p.signIn();
  await p.go(p.main("button:text('Sign in')"), "**/account");
  await p.press(p.main("form[action='/account/keys'] button"));
  await p.page.waitForSelector("#curl");
  const [, key, address] = (await p.page.textContent("#curl")).match(/X-API-Key: (\S+)'[^']*'(\S+)'/);
  const answer = await p.page.request.get(address, { headers: { "X-API-Key": key } });
  assert.equal(answer.status(), 200, `the line on the page answers ${answer.status()}`);
  const body = await answer.json();
  assert.ok(body.results.length > 0);
  await writeFile(path.join(kept, "answer.json"), JSON.stringify(body));
  await p.page.goto(`${base}/grant/${body.results[0].grant_key}`);
  await done("a developer", p, 3, p.page.url(), /As filed/);
}

await browser.close();
await rm(kept, { recursive: true });
assert.deepEqual(complaints, [], "the browser complained");
console.log(told.join("\n"));
