// Walks from sign-up to a first call of the API in Chromium, and on to a rotated
// key, as a person would:
//
//   node account.mjs URL MAILBOX [SHOTS]
//
// URL is where the site is, MAILBOX answers ?to=ADDRESS with the text of the
// last email to it, and SHOTS is a folder for pictures of every page. It ends
// with a failure as soon as something is not as it should be.
import assert from "node:assert/strict";
import { complaints, launch, listen, look } from "./walk.mjs";

const [base, mailbox, shots] = process.argv.slice(2);
// Another each time: the store may have seen walks before.
const email = `ada.${Date.now()}@example.org`, password = "correct horse battery";

const browser = await launch();

async function link(to) {
  const text = await (await fetch(`${mailbox}?to=${encodeURIComponent(to)}`)).text();
  const found = text.match(/http\S+\?token=\S+/);
  assert.ok(found, `no link in the email: ${text}`);
  return found[0];
}

// call calls the API outside the browser, as a program does.
async function call(url, key) {
  const answer = await fetch(url, { headers: { "X-API-Key": key } });
  return { status: answer.status, left: Number(answer.headers.get("X-Calls-Remaining")), body: await answer.json() };
}

const desktop = await browser.newContext({ viewport: { width: 1200, height: 900 }, permissions: ["clipboard-read", "clipboard-write"] });
const page = listen(await desktop.newPage());

// The first stop of the keyboard leads past the navigation.
await page.goto(base);
await look(page, "home", shots);
await page.keyboard.press("Tab");
await page.keyboard.press("Enter");
await page.keyboard.press("Tab");
assert.equal(await page.evaluate(() => document.activeElement.id), "q");

// Suggestions come as one types; Enter leads to the results of what is in the box, never to an organization by itself.
await page.keyboard.type("county library");
await page.waitForSelector("#found a");
await page.focus("#found li:last-child a");
await page.keyboard.press("Tab");
await page.waitForSelector("#found", { state: "hidden" }); // or it hides what the keyboard has come to
await page.click("#q");
await page.waitForSelector("#found a");
await page.fill("#q", "county");
await page.keyboard.press("Enter");
await page.waitForURL(`${base}/search?q=county`);
await look(page, "results", shots);

// A slash brings one to the search of every page.
await page.keyboard.press("/");
assert.equal(await page.evaluate(() => document.activeElement.id), "find");
await page.fill("#find", "county library");
await page.waitForSelector("#find-found a");
await page.keyboard.press("Enter");
await page.waitForURL(`${base}/search?q=county+library`);
const href = await page.getAttribute(".results h3 a", "href");
await page.click(".results h3 a");
await page.waitForURL(base + href);

// Names as long as some that are filed.
await page.evaluate(() => {
  for (const e of document.querySelectorAll("h1, td:first-child")) e.textContent = "Northamericaseasideandmountainassociation of Warren-Washington-Hamilton";
  for (const e of document.querySelectorAll("td:last-child")) e.textContent = "$1,234,567,890";
});
await look(page, "org-long", shots);

// Pages without an account.
await page.goto(`${base}/data`);
await look(page, "data", shots);
await page.goto(`${base}/nowhere`);
await look(page, "missing", shots);
await page.goto(`${base}/?q=county`);
await look(page, "found", shots);

// Sign up.
await page.goto(base);
await page.click("nav >> text=Sign in");
await page.waitForURL("**/signin");
await look(page, "signin", shots);
await page.click("main >> text=Sign up");
await page.waitForURL("**/signup");
await look(page, "signup", shots);
await page.fill("#email", email);
await page.fill("#password", password);
await page.click("button:text('Sign up')");
await page.waitForURL("**/email-sent");
assert.ok((await page.textContent("main")).includes(email));
await look(page, "email-sent", shots);

// The address is not confirmed, so the password opens nothing yet.
await page.goto(`${base}/signin`);
await page.fill("#email", email);
await page.fill("#password", password);
await page.click("button:text('Sign in')");
await page.waitForSelector(".problem");
await look(page, "signin-refused", shots);

// Confirm, which signs in.
await page.goto(await link(email));
await look(page, "confirm", shots);
await page.fill("#password", password);
await page.click("button:text('Confirm')");
await page.waitForURL("**/account");
await look(page, "account-empty", shots);

// A key, shown once.
await page.fill("#label", "Our research notebook");
await page.click("button:text('Create a key')");
await page.waitForSelector("#key");
const key = await page.textContent("#key");
assert.match(key, /^gg_f_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/);
await page.click("[data-copy=key]");
await page.waitForSelector("[data-copy=key]:text('Copied')");
assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
const line = await page.textContent("#curl");
const url = line.match(/'(http[^']+)'/)[1];
assert.ok(line.includes(key) && !page.url().includes(key));
await look(page, "account-key", shots);

// The first calls.
let answer = await call(url, key);
assert.equal(answer.status, 200, JSON.stringify(answer.body));
assert.equal(answer.left, 49);
assert.equal((await call(url.replace(/limit=\d+/, "limit=6"), key)).left, 48);
await page.reload();
assert.ok(!(await page.content()).includes(key), "the key is shown a second time");
assert.match(await page.textContent("[aria-labelledby=window]"), /48 of 50 calls left/);
assert.match(await page.textContent("rect.now title"), /2 calls/);
await page.goBack();
await page.goForward();
assert.ok(!(await page.content()).includes(key), "the key is in the history");
await look(page, "account-used", shots);

// Rotate: the old key no longer works.
await page.click("a:text('Rotate')");
await page.waitForURL("**/rotate");
await look(page, "rotate", shots);
await page.click("button:text('Rotate it')");
await page.waitForSelector("#key");
const next = await page.textContent("#key");
assert.notEqual(next, key);
answer = await call(url, key);
assert.equal(answer.status, 401);
assert.equal(answer.body.error, "unknown_key");
answer = await call(url, next);
assert.equal(answer.status, 200);
assert.equal(answer.left, 47);
await look(page, "account-rotated", shots);

// Delete a second key, after a question.
await page.fill("#label", "A mistake");
await page.click("button:text('Create a key')");
await page.waitForSelector("#key");
await page.click("li:has-text('A mistake') >> a:text('Delete')");
await page.waitForURL("**/delete");
await look(page, "delete", shots);
await page.click("button:text('Delete it')");
await page.waitForURL("**/account");
assert.ok(!(await page.isVisible("text=A mistake")));

// Another password; the browser that has no scripts is signed out by it.
const plain = await browser.newContext({ javaScriptEnabled: false });
const other = listen(await plain.newPage());
await other.goto(`${base}/signin?next=/account/password`);
await other.fill("#email", email);
await other.fill("#password", password);
await other.click("button:text('Sign in')");
await other.waitForURL("**/account/password");
await page.goto(`${base}/account/password`);
await look(page, "password", shots);
await page.fill("#old", password);
await page.fill("#password", "quite another password");
await page.click("button:text('Change it')");
await page.waitForURL("**/account");
await look(page, "account-password", shots);
await other.goto(`${base}/account`);
assert.match(other.url(), /\/signin/);

// Forgotten again, and chosen anew, without scripts.
await other.goto(`${base}/forgot`);
await other.fill("#email", email);
await other.click("button:text('Send')");
await other.waitForURL("**/email-sent");
await other.goto(await link(email));
await look(other, "reset", shots);
await other.fill("#password", password);
await other.click("button:text('Set')");
await other.waitForURL("**/account");
assert.ok(await other.isVisible("text=Our research notebook"));
assert.ok(!(await other.isVisible("[data-copy]")));

// A form that another site sends does nothing.
await page.goto(`${base}/account`);
assert.match(page.url(), /\/signin/, "a new password leaves a session open");
await page.goto(`${base}/forgot`);
await look(page, "forgot", shots);
await page.goto(`${base}/reset?token=x`);
await look(page, "reset", shots);
await page.goto(`data:text/html,<form method=post action="${base}/signin"><input name=email value=${email}><input name=password value="${password}"><button>go</button></form>`);
await page.click("button");
await page.waitForURL("**/signin");
assert.match(await page.textContent("h1"), /another site/);
await look(page, "foreign", shots);

// Sign out.
await other.click("button:text('Sign out')");
await other.waitForURL(`${base}/`);
await other.goto(`${base}/account`);
assert.match(other.url(), /\/signin/);

await browser.close();
assert.deepEqual(complaints, []);
console.log("walked from sign-up to a rotated key");
