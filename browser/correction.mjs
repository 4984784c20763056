// Corrects the match of a grant in Chromium, as a visitor would:
//
//   node correction.mjs URL GRANT [SHOTS]
//
// URL is where the site is; GRANT is the key of a grant that was matched; SHOTS
// is a folder for pictures of every page.
import assert from "node:assert/strict";
import { complaints, launch, listen, look } from "./walk.mjs";

const [base, grant, shots] = process.argv.slice(2);
const browser = await launch();
const page = listen(await (await browser.newContext({ viewport: { width: 1200, height: 900 } })).newPage());

// The page of the grant suggests organizations, and Enter chooses none of them.
await page.goto(`${base}/grant/${grant}#report`);
await page.fill("#right-q", "library");
await page.waitForSelector("#right-found a");
await look(page, "correction-grant", shots);
await page.keyboard.press("Enter");
assert.equal(new URL(page.url()).pathname, `/grant/${grant}`, "Enter chose an organization");
await page.focus("#right-q");
await page.keyboard.press("ArrowDown");
await page.keyboard.press("Enter");
await page.waitForURL(`**/grant/${grant}/correction?ein=*`);
await look(page, "correction-form", shots);

// Another one is chosen, with the keyboard alone.
await page.click("text=Choose another");
await page.waitForURL(`**/grant/${grant}/correction`);
await look(page, "correction-choose", shots);
await page.fill("#q", "library");
await page.waitForSelector("#found a");
await page.click("#found li:nth-child(2) a");
await page.waitForURL(`**/correction?ein=*`);
await page.fill("#reason", "The address is that of the library.");
await page.click("button:text('Send the correction')");
await page.waitForSelector("h1:text('Thank you')");
await look(page, "correction-sent", shots);
assert.deepEqual(complaints, []);
await browser.close();
