// Puts small test files into one process: loading the same modules for each of them takes more than their tests do. Node's
// own modules only: it runs on the machine's own Node.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** How the file of a group ends. */
export const GROUP_END = '.group.mjs';
/** So few that a group ends long before the limit of a file. */
const FILES_IN_GROUP = 20;
/** The tests of the service; those of the set-up, of pages and of Electron change their process. */
const GROUPED = `server${sep}`;
/** What stands for the world of a test, and large tests of that. */
const TESTING = /[/\\]testing[/\\]/;
/** What a test file says that changes or measures its process, or opens a browser. */
const CHANGES_PROCESS =
  /\bprocess\.(?!getuid|pid\b|execPath|version|platform|arch)|child_process|TestKiosk|\bmock\b|globalThis|\bgc\b/;
/** The same in what it imports: the leak check ignores timers beside werift, and modules may change the environment. */
const CHANGES_OTHERS = /from 'werift'|^(?:delete )?process\.env\b/m;
/** Relative imports, those for types alone aside. */
const IMPORTS = /^(?:import|export) (?!type\b)(?:[^;]*?from )?'(\.[^']+)'/gm;

/**
 * @param {string} root
 * @param {string[]} files test files, relative to the root
 * @param {string} folder for the files of the groups
 * @returns {string[]} what Node's runner is to run: a file for each group, and the test files that run alone
 */
export function groupTests(root, files, folder) {
  const sources = new Map();
  const sourceOf = (file) => {
    if (!sources.has(file)) sources.set(file, readFileSync(file, 'utf8'));
    return sources.get(file);
  };
  const shared = files.filter(
    (file) => file.startsWith(GROUPED) && !TESTING.test(file) && canShare(join(root, file), sourceOf),
  );
  mkdirSync(folder, { recursive: true });
  const groups = [];
  for (let at = 0; at < shared.length; at += FILES_IN_GROUP) {
    const path = join(folder, `${groups.length + 1}${GROUP_END}`);
    writeFileSync(path, groupOf(root, shared.slice(at, at + FILES_IN_GROUP)));
    groups.push(path);
  }
  return [...files.filter((file) => !shared.includes(file)), ...groups];
}

/** A suite for each file: its hooks are its own. */
function groupOf(root, files) {
  const suites = files.map((file) => {
    const url = pathToFileURL(join(root, file)).href;
    return `describe(${JSON.stringify(file)}, async () => { await import(${JSON.stringify(url)}); });\n`;
  });
  return `import { describe } from 'node:test';\n${suites.join('')}`;
}

/** Whether neither the file nor what it imports changes its process or starts one for the test. */
function canShare(testFile, sourceOf) {
  if (CHANGES_PROCESS.test(sourceOf(testFile))) return false;
  const seen = new Set();
  const waiting = [testFile];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const source = sourceOf(file);
    if (CHANGES_OTHERS.test(source)) return false;
    if (TESTING.test(file) && source.includes('child_process')) return false;
    for (const [, path] of source.matchAll(IMPORTS)) waiting.push(resolve(dirname(file), path));
  }
  return true;
}
