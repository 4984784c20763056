// Takes the pictures of the README from a running demo, in light and in dark:
//
//   node pictures.mjs URL ORGANIZATION FOLDER
//
// URL is where the demo is, ORGANIZATION the EIN whose page is shown. The signed
// report is a PDF and is drawn by scripts/pictures.
import path from "node:path";
import { complaints, launch, listen } from "./walk.mjs";

const [base, ein, folder] = process.argv.slice(2);
const browser = await launch();
for (const scheme of ["light", "dark"]) {
  const context = await browser.newContext({ viewport: { width: 1120, height: 1000 }, reducedMotion: "reduce", colorScheme: scheme });
  const page = listen(await context.newPage());
  for (const [name, address] of [["organization", `/org/${ein}`], ["explore", "/explore?location=PA"]]) {
    await page.goto(base + address);
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: path.join(folder, `${name}-${scheme}.png`) });
  }
}
await browser.close();
if (complaints.length) throw new Error(complaints.join("\n"));
