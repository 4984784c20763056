// Runs code.js in each folder that is named. One is over when nothing is left
// to wait for.
const fs = require("node:fs");
const path = require("node:path");

const folders = process.argv.slice(2).map((name) => path.resolve(name));
let out = "", failed = "", at = -1;
console.log = (...values) => { out += values.join(" ") + "\n"; };
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => { failed += (error.stack ?? error) + "\n" + (error.cause ?? ""); });
}

function next() {
  if (at >= 0) {
    fs.writeFileSync(path.join(folders[at], "stdout"), out);
    fs.writeFileSync(path.join(folders[at], "failed"), failed);
  }
  out = failed = "";
  if (++at >= folders.length) {
    process.off("beforeExit", next);
    return;
  }
  process.chdir(folders[at]);
  setImmediate(() => require(path.join(folders[at], "code.js")));
}
process.on("beforeExit", next);
