// Walks from sign-up to a first call of the API in Chromium, and on to a rotated
// key, as a person would:
//
//   node account.mjs URL MAILBOX [SHOTS]
//
// URL is where the site is, MAILBOX answers ?to=ADDRESS with the text of the
// last letter to it, and SHOTS is a folder for pictures of every page. It ends
// with a failure as soon as something is not as it should be.
import assert from "node:assert/strict";
import path from "node:path";
import { chromium } from "playwright-core";

const [base, mailbox, shots] = process.argv.slice(2);
const email = "ada@example.org", password = "correct horse battery";

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// What the browser complains about, such as a script that the policy of the
// page forbids, fails the walk. A page that refuses a form is no complaint.
const complaints = [];
function listen(page) {
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (e) => complaints.push(String(e)));
  page.on("console", (m) => {
    if (m.type() === "error" && !m.text().startsWith("Failed to load resource")) complaints.push(m.text());
  });
  return page;
}

// look checks a page at the width of a desk and of a phone, in light and in
// dark: nothing may stick out to the side.
async function look(page, name) {
  const before = page.viewportSize();
  for (const [kind, width, scheme] of [["desk", 1200, "light"], ["phone", 375, "light"], ["dark", 1200, "dark"], ["phone-dark", 375, "dark"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    const out = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(out <= 0, `${name} is ${out} pixels too wide on a ${kind} of ${width}`);
    if (shots) await page.screenshot({ path: path.join(shots, `${name}-${kind}.png`), fullPage: true });
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
}

async function link(to) {
  const letter = await (await fetch(`${mailbox}?to=${encodeURIComponent(to)}`)).text();
  const found = letter.match(/http\S+\?token=\S+/);
  assert.ok(found, `no link in the letter: ${letter}`);
  return found[0];
}

// call calls the API outside the browser, as a program does.
async function call(url, key) {
  const answer = await fetch(url, { headers: { "X-API-Key": key } });
  return { status: answer.status, left: Number(answer.headers.get("X-Calls-Remaining")), body: await answer.json() };
}

const desk = await browser.newContext({ viewport: { width: 1200, height: 900 }, permissions: ["clipboard-read", "clipboard-write"] });
const page = listen(await desk.newPage());

// Sign up.
await page.goto(base);
await look(page, "home");
await page.click("nav >> text=Sign in");
await look(page, "signin");
await page.click("main >> text=Sign up");
await page.waitForURL("**/signup");
await look(page, "signup");
await page.fill("#email", email);
await page.fill("#password", password);
await page.click("button:text('Sign up')");
await page.waitForURL("**/letter");
assert.match(await page.textContent("main"), /ada@example\.org/);
await look(page, "letter");

// The address is not confirmed, so the password opens nothing yet.
await page.goto(`${base}/signin`);
await page.fill("#email", email);
await page.fill("#password", password);
await page.click("button:text('Sign in')");
await page.waitForSelector(".problem");
await look(page, "signin-refused");

// Confirm, sign in.
await page.goto(await link(email));
await look(page, "verify");
await page.click("button:text('Confirm')");
await page.waitForURL("**/signin");
assert.equal(await page.inputValue("#email"), email);
await look(page, "signin-confirmed");
await page.fill("#password", password);
await page.click("button:text('Sign in')");
await page.waitForURL("**/account");
await look(page, "account-empty");

// A key, shown once.
await page.fill("#label", "Our research notebook");
await page.click("button:text('Make a key')");
await page.waitForSelector("#key");
const key = await page.textContent("#key");
assert.match(key, /^gg_f_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/);
await page.click("[data-copy=key]");
await page.waitForSelector("[data-copy=key]:text('Copied')");
assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
const line = await page.textContent("#curl");
const url = line.match(/'(http[^']+)'/)[1];
assert.ok(line.includes(key) && !page.url().includes(key));
await look(page, "account-key");

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
await look(page, "account-used");

// Rotate: the old key is dead at once.
await page.click("a:text('Rotate')");
await look(page, "rotate");
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
await look(page, "account-rotated");

// Another password; the browser that has no scripts is signed out by it.
const plain = await browser.newContext({ javaScriptEnabled: false });
const other = listen(await plain.newPage());
await other.goto(`${base}/signin?next=/account/password`);
await other.fill("#email", email);
await other.fill("#password", password);
await other.click("button:text('Sign in')");
await other.waitForURL("**/account/password");
await page.goto(`${base}/account/password`);
await look(page, "password");
await page.fill("#old", password);
await page.fill("#password", "quite another password");
await page.click("button:text('Change it')");
await page.waitForURL("**/account");
await look(page, "account-password");
await other.goto(`${base}/account`);
assert.match(other.url(), /\/signin/);

// Forgotten again, and chosen anew, without scripts.
await other.goto(`${base}/forgot`);
await other.fill("#email", email);
await other.click("button:text('Send')");
await other.waitForURL("**/letter");
await other.goto(await link(email));
await other.fill("#password", password);
await other.click("button:text('Set')");
await other.waitForURL("**/account");
assert.ok(await other.isVisible("text=Our research notebook"));
assert.ok(!(await other.isVisible("[data-copy]")));

// A form that another site sends does nothing.
await page.goto(`${base}/account`);
assert.match(page.url(), /\/signin/, "a new password leaves a session open");
await page.goto(`${base}/forgot`);
await look(page, "forgot");
await page.goto(`${base}/reset?token=x`);
await look(page, "reset");
await page.goto(`data:text/html,<form method=post action="${base}/signin"><input name=email value=${email}><input name=password value="${password}"><button>go</button></form>`);
await page.click("button");
await page.waitForURL("**/signin");
assert.match(await page.textContent("h1"), /another site/);
await look(page, "foreign");

// Sign out.
await other.click("button:text('Sign out')");
await other.waitForURL(`${base}/`);
await other.goto(`${base}/account`);
assert.match(other.url(), /\/signin/);

await browser.close();
assert.deepEqual(complaints, []);
console.log("walked from sign-up to a rotated key");
