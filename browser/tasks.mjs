// Does the work of nine people in Chromium, as somebody would who has never seen
// the site, and counts what they have to press:
//
//   node tasks.mjs URL EMAIL PASSWORD FACTS [SHOTS]
//
// URL is where the site is; EMAIL has an account on the Pro plan; FACTS is a file
// that says whom they look for: {"zip", "state", "fund": {"name", "ein"}, "grantee":
// {"name", "ein"}}. SHOTS is a folder for pictures of where they end.
//
// Each does it twice: as it goes best, and without scripts, with every page
// reloaded, left with Back and come back to with Forward.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { complaints, launch, listen } from "./walk.mjs";

const [base, email, password, facts, shots] = process.argv.slice(2);
const { zip, state, fund, grantee } = JSON.parse(await readFile(facts, "utf8"));
const browser = await launch();
const kept = await mkdtemp(path.join(os.tmpdir(), "tasks-"));
const told = [];
let people = 0;

// person is somebody with a browser, who counts presses: of a mouse, or of Enter
// after typing. Somebody restless has no scripts, and goes back and forth.
async function person(restless = false, width = 1280) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, hasTouch: width < 800, javaScriptEnabled: !restless, acceptDownloads: true, extraHTTPHeaders: { "X-Forwarded-For": `198.18.0.${++people}` } });
  const page = listen(await context.newPage());
  let clicks = 0;
  const main = (what) => page.locator("main").locator(what).first();
  // wander reloads a page, goes back and comes again. It is as it was.
  const wander = async () => {
    await page.waitForLoadState();
    if (!restless) return;
    const here = async () => [page.url(), await page.title(), await page.locator("main").innerText()];
    const before = await here();
    await page.reload();
    assert.deepEqual(await here(), before, "the page is another one when it is reloaded");
    await page.goBack();
    await page.goForward();
    assert.deepEqual(await here(), before, "the page is another one after Back and Forward");
  };
  return {
    page, restless,
    get clicks() { return clicks; },
    main,
    // go presses something that leads to another page.
    async go(what, to) {
      clicks++;
      await Promise.all([page.waitForURL(to), what.click()]);
      await wander();
    },
    async press(what) { clicks++; await what.click(); },
    // tick chooses one of a list, which may have to be unfolded, and without scripts to be applied.
    async tick(what, to) {
      if (!(await what.isVisible())) await this.press(what.locator("xpath=ancestor::details[1]/summary"));
      if (restless) {
        await this.press(what);
        what = main(".apply button");
      }
      await this.go(what, to);
    },
    async enter(to) {
      clicks++;
      await Promise.all([page.waitForURL(to), page.keyboard.press("Enter")]);
      await wander();
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

// task is what somebody wants to get done with so many clicks at most. The link that it ends with shows the same to
// somebody else.
async function task(who, most, work, width) {
  for (const restless of [false, true]) {
    const p = await person(restless, width);
    const [link, proof] = await work(p).catch((e) => { throw new Error(`${who}${restless ? " without scripts" : ""}, at ${p.page.url()}: ${e.stack}`); });
    await done(restless ? `${who} without scripts` : who, p, restless ? Infinity : most, link, proof);
  }
}

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

// Somebody who is new here takes the first step, and closes the steps, which stay closed. Without scripts they are there too.
{
  const p = await person();
  await p.page.goto(`${base}/`);
  assert.equal(await p.main("#first-visit li").isVisible(), true, "a first visit shows no steps");
  for (const step of await p.page.locator("#first-visit a").all()) {
    const at = await p.page.request.get(base + await step.getAttribute("href"));
    assert.equal(at.status(), 200, `${at.url()} answers ${at.status()}`);
  }
  await p.press(p.main("#first-visit summary"));
  await p.page.waitForFunction(() => localStorage.getItem("first-visit") === "closed");
  await p.page.reload();
  await p.page.waitForFunction(() => !document.getElementById("first-visit").open);
  const plain = await browser.newContext({ javaScriptEnabled: false, extraHTTPHeaders: { "X-Forwarded-For": "198.18.9.8" } });
  const page = await plain.newPage();
  await page.goto(`${base}/`);
  assert.equal(await page.locator("#first-visit li").count(), 3, "there are no steps without scripts");
  await plain.close();
  await p.page.context().close();
}

// Somebody cites a grant, and copies the citation; then looks who is around a funder, and around one of these, without
// leaving the page, and goes back. The same works without scripts.
{
  const p = await person();
  await p.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await p.page.goto(`${base}/explore?funder_id=${fund.ein}`);
  await p.go(p.main("a[href^='/grant/']"), "**/grant/**");
  await p.press(p.main("summary:text('BibTeX')"));
  await p.press(p.page.locator("details[open] .copy").first());
  assert.match(await p.page.evaluate(() => navigator.clipboard.readText()), /^@misc\{grantgraph-[a-z2-7]{13},/);
  assert.equal(await p.page.locator("pre:visible").count(), await p.page.locator(".copy:visible").count(), "code without a button that copies it");
  await p.page.goto(`${base}/org/${fund.ein}`);
  await p.go(p.page.locator("nav.tabs a:has-text('Network')"), "**/network");
  const home = p.page.url();
  await p.press(p.main("summary:text('The same as a table')"));
  const row = p.main(".ring-table a:text('Network')");
  await p.press(row);
  await p.page.waitForURL("**/network?around=*#second");
  const title = await p.main("#second h2").textContent();
  assert.match(title, /^Around /);
  assert.equal(await p.page.evaluate(() => document.activeElement.id), "second", "the second ring does not have the focus");
  await Promise.all([p.page.waitForURL(home), p.page.goBack()]);
  await p.page.waitForFunction(() => !document.querySelector("#second h2"));
  await p.page.goForward();
  await p.page.waitForFunction((title) => document.querySelector("#second h2")?.textContent === title, title);
  const plain = await browser.newContext({ javaScriptEnabled: false, extraHTTPHeaders: { "X-Forwarded-For": "198.18.9.9" } });
  const page = await plain.newPage();
  await page.goto(home);
  await page.locator(".network .ring a[href*='around=']").first().click();
  await page.waitForURL("**/network?around=*#second");
  assert.match(await page.locator("#second h2").textContent(), /^Around /);
  await plain.close();
  await p.page.context().close();
  told.push(`a citation and a second ring: ${p.clicks} clicks`);
}

// Somebody looks at a map of counties, points at one and opens it, also by a list; without scripts there are tiles of states.
{
  const p = await person();
  await p.page.goto(`${base}/places`);
  await p.press(p.main("button:text('Show counties')"));
  const county = p.page.locator(".by-county [data-county]:not(.q0)").first();
  await county.waitFor();
  await county.dispatchEvent("pointerover", { bubbles: true });
  assert.match(await p.page.textContent(".by-county .readout"), /, [A-Z]{2}: \$[\d,]+ in [\d,]+ grants?$/);
  await p.press(p.main("button:text('Show states')"));
  assert.equal(await p.page.locator("figure.map:visible svg.plot a.tile").count() > 40, true, "the tiles are gone");
  await p.press(p.main("button:text('Show counties')"));
  await p.press(p.main(".by-county summary"));
  await p.go(p.main(".by-county .largest a"), /\/place\/[A-Z]{2}\/[a-z-]+$/);
  await p.page.goto(`${base}/explore?exclude=daf`);
  await p.main("[data-counties]").scrollIntoViewIfNeeded();
  await p.press(p.main(".by-county summary"));
  await p.go(p.main(".by-county .largest a"), /location=\d{5}.*exclude=daf/);
  const plain = await person(true);
  await plain.page.goto(`${base}/places`);
  assert.equal(await plain.page.locator("figure.map:visible svg.plot a.tile").count() > 40, true, "there are no tiles without scripts");
  await p.page.context().close();
  await plain.page.context().close();
}

// Somebody compares two organizations, and names them by the list that appears while typing; Enter takes a name as it is.
{
  const p = await person();
  await p.page.goto(`${base}/compare`);
  await p.page.fill("main #add", fund.name);
  await p.go(p.main(`#add-found a[href$='${fund.ein}']`), `**/compare?ein=${fund.ein}`);
  await p.page.fill("main #add", grantee.ein);
  await p.enter(new RegExp(`/compare\\?ein=${fund.ein}(,|%2C)${grantee.ein}$`));
  assert.equal(await p.page.locator(".compare thead th").first().isVisible(), true);
  await p.page.context().close();
}

const lines = (text) => text.toString("utf8").trim().split("\n");
const word = (text) => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");

// A food bank's development director looks for funders nearby, and takes their
// list along.
await task("a development director", 5, async (p) => {
  await p.page.goto(`${base}/`);
  await p.go(p.main("a:text('Find funders near you')"), "**/funders");
  await p.page.fill("main #do", "food bank");
  await p.page.fill("main #where", zip);
  await p.page.fill("main #amount", "$5,000");
  await p.enter("**/funders?**");
  const link = p.page.url();
  assert.ok(await p.page.locator(".funders > li").count() > 0, "there are no funders near the ZIP code");
  await p.go(p.main("a:text('Download')"), "**/signin**");
  await p.signIn();
  await p.go(p.main("button:text('Sign in')"), "**/download?**");
  const rows = lines(await p.file(p.main("button:text('CSV')"), /\.csv$/));
  assert.match(rows[0], /^funder_ein,funder_name,/);
  assert.ok(rows.length > 1, "the file has no funder");
  return [link, /Usual grant/];
});

// A journalist follows the money of a donor-advised fund over the years.
await task("a journalist", 7, async (p) => {
  await p.page.goto(`${base}/`);
  await (p.restless ? p.page.focus("#q") : p.page.keyboard.press("/"));
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
  return [link, word("Recipients")];
});

// A program officer looks at a grantee's other funders.
await task("a program officer", 8, async (p) => {
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
  return [link, /funder/i];
});

// A compliance officer checks a grantee and keeps the signed report.
await task("a compliance officer", 7, async (p) => {
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
  return [link, word(grantee.ein.slice(2))];
});

// An analyst sums a cause up by year and state, and takes the query and the rows
// along.
await task("an analyst", 8, async (p) => {
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
  return [link, /Education/];
});

// Somebody without a mouse narrows grants down to a state and a year; Back and Forward bring filters and results together.
await task("somebody without a mouse", 3, async (p) => {
  await p.page.goto(`${base}/explore`);
  await p.page.focus("#f-query");
  if (p.restless) { // words, and Enter
    await p.page.keyboard.type(state);
    await p.enter(/query=/);
    return [p.page.url(), word(state)];
  }
  // reach goes from one part of the form to the next, and says where it ended.
  const reach = async (facet) => {
    for (let tabs = 1; tabs <= 8; tabs++) {
      await p.page.keyboard.press("Tab");
      if (await p.page.evaluate((facet) => document.activeElement.closest("details")?.id === facet && document.activeElement.matches("summary"), facet)) return;
    }
    assert.fail(`${facet} is more than eight Tabs away`);
  };
  const here = () => p.page.evaluate(() => ({
    at: location.search, ticked: [...document.querySelectorAll("#filters input:checked")].map((e) => e.value).filter(Boolean),
    chips: document.querySelectorAll(".chips li").length, title: document.title, focus: document.activeElement.id, lead: document.querySelector(".lead").textContent,
  }));
  const first = await here();
  await reach("facet-state");
  await p.enter(/explore$/);
  await p.page.keyboard.press("Tab");
  assert.equal((await here()).focus, "find-facet-state");
  await p.page.evaluate(() => { window.same = true; });
  await p.page.keyboard.type(state.slice(0, -1));
  await p.enter(/location=/);
  const second = await here();
  assert.ok(second.title.includes(state) && second.lead !== first.lead && second.ticked.length === 1 && second.chips === 2, JSON.stringify(second));
  assert.equal(second.focus, "find-facet-state", "the focus went elsewhere");
  assert.equal((await p.page.textContent("main > [role=status]")), second.lead);
  await p.page.locator("#facet-year summary").focus();
  await p.enter(/location=/);
  await p.page.locator("#facet-year li input").first().focus();
  await Promise.all([p.page.waitForURL(/year=/), p.page.keyboard.press("Space")]);
  const third = await here();
  assert.equal(third.ticked.length, 2, JSON.stringify(third));
  assert.ok(await p.page.evaluate(() => window.same), "the page was loaded anew");
  for (const [go, want] of [["goBack", second], ["goBack", first], ["goForward", second], ["goForward", third]]) {
    await p.page[go]();
    await p.page.waitForFunction((title) => document.title === title, want.title);
    const now = await here();
    assert.deepEqual([now.at, now.ticked, now.chips, now.lead], [want.at, want.ticked, want.chips, want.lead], go);
  }
  // What a link led away from is as it was, too.
  await p.page.locator("nav.tabs a:has-text('Funders')").press("Enter");
  await p.page.waitForURL(/tab=funders/);
  await p.page.goBack();
  await p.page.waitForFunction((title) => document.title === title && !location.search.includes("tab"), third.title);
  assert.deepEqual((await here()).ticked, third.ticked);
  return [p.page.url(), word(state)];
});

// A developer makes a key and calls the API with the line that the page shows.
await task("a developer", 3, async (p) => {
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
  return [p.page.url(), /As filed/];
});

// Somebody on a phone, on the way to a meeting, looks up who funds an organization, and what one of the grants was for.
await task("somebody on a phone", 5, async (p) => {
  await p.page.goto(`${base}/`);
  await p.page.fill("#q", grantee.name);
  await p.enter("**/search?**");
  await p.go(p.main(`a[href^='/org/${grantee.ein}/']`), `**/org/${grantee.ein}/**`);
  const tab = p.page.locator("nav.tabs a:has-text('Grants')").first();
  await p.go(tab, "**/grants");
  const seen = p.page.locator("nav.tabs [aria-current]");
  assert.ok(p.restless || await seen.evaluate((e) => { const r = e.getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth; }), "the tab that is open is out of sight");
  await p.go(p.main("a[href^='/grant/']"), "**/grant/**");
  return [p.page.url(), /As filed/];
}, 375);

// An operator gets an alert, looks up what it means, and sees what visitors are told of the state of the service.
await task("an operator", 5, async (p) => {
  await p.page.goto(`${base}/docs`);
  await p.page.fill("main input[type=search]", "GrantgraphListStale");
  await p.enter("**/docs/search?**");
  await p.go(p.main(".results a"), "**/docs/operations**");
  const link = p.page.url();
  await p.go(p.page.locator("footer a:text-is('Status')"), "**/status");
  assert.match(await p.page.textContent("main"), /list/i);
  return [link, /GrantgraphListStale/];
});

await browser.close();
await rm(kept, { recursive: true });
assert.deepEqual(complaints, [], "the browser complained");
console.log(told.join("\n"));
