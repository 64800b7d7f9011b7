// Stands for Electron's own default app (resources/default_app.asar), which the Electron of testElectron.mjs comes
// without: electron [switches] [-r module ...] <folder or script> [arguments]. A module of `-r` is Playwright's loader.
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

const modules = [];
let given = '.';
const words = process.argv.slice(1);
while (words.length > 0) {
  const word = words.shift();
  if (word === '-r' || word === '--require') modules.push(words.shift());
  else if (!word.startsWith('-')) {
    given = word;
    break;
  }
}
const require = createRequire(import.meta.url);
for (const name of modules) require(resolve(name));

let main = resolve(given);
let folder = dirname(main);
if (statSync(main).isDirectory()) {
  folder = main;
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (manifest.version) app.setVersion(manifest.version);
  app.setName(manifest.productName ?? manifest.name);
  main = join(folder, manifest.main ?? 'index.js');
}
app.setAppPath(folder);
process.defaultApp = true;
// Electron becomes ready only when the program's own module has been evaluated.
await import(pathToFileURL(main).href);
