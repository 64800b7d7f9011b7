// Puts small test files into one process: loading the same modules for each of them takes more than their tests do. Node's
// own modules only: it runs on the machine's own Node.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** How the file of a group ends. */
export const GROUP_END = '.group.mjs';
/** How many files a group of a kind has: so few that it ends long before the limit of a file. Programs take longer. */
const FILES_IN_GROUP = { plain: 20, programs: 8, werift: 8 };
/** What stands for the world of a test, and large tests of that. */
const TESTING = /[/\\]testing[/\\]/;
/** What a test file says that changes or measures its process, or opens a browser. */
const CHANGES_PROCESS =
  /\bprocess\.(?!getuid|pid\b|execPath|version|platform|arch|kill\b|nextTick|hrtime|env\b)|TestKiosk|\bmock\b|globalThis|\bgc\b/;
const CHANGES_ENVIRONMENT = /\bdelete process\.env|\bprocess\.env(?:\.\w+|\[.+?\]) = |\(process\.env,/;
/** Modules may change the environment as well. */
const CHANGES_OTHERS = /^(?:delete )?process\.env\b/m;
/** The leak check ignores timers beside werift, so these files have groups of their own. */
const WERIFT = /^(?:import|export|\}).* from 'werift'/m;
const PROGRAMS = 'child_process';
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
    // Generators have imports in their texts.
    if (!sources.has(file)) sources.set(file, existsSync(file) ? readFileSync(file, 'utf8') : '');
    return sources.get(file);
  };
  const kinds = new Map(files.map((file) => [file, kindOf(join(root, file), sourceOf)]));
  mkdirSync(folder, { recursive: true });
  const groups = [];
  for (const [kind, size] of Object.entries(FILES_IN_GROUP)) {
    const shared = files.filter((file) => kinds.get(file) === kind);
    for (let at = 0; at < shared.length; at += size) {
      const path = join(folder, `${groups.length + 1}${GROUP_END}`);
      writeFileSync(path, groupOf(root, shared.slice(at, at + size)));
      groups.push(path);
    }
  }
  return [...files.filter((file) => kinds.get(file) === undefined), ...groups];
}

/** A suite for each file: its hooks are its own, and what it leaves running is its fault. */
function groupOf(root, files) {
  const suites = files.map((file) => {
    const url = pathToFileURL(join(root, file)).href;
    return `describe(${JSON.stringify(file)}, async () => {
  await import(${JSON.stringify(url)});
  after(failIfSomethingIsLeft);
});
`;
  });
  const check = new URL('nothingLeft.mjs', import.meta.url).href;
  return `import { after, describe } from 'node:test';
import { failIfSomethingIsLeft } from ${JSON.stringify(check)};
${suites.join('')}`;
}

/**
 * @returns {keyof typeof FILES_IN_GROUP | undefined} undefined where the file, or what it imports, changes or measures
 *   its process, or does the large tests of a test's world
 */
function kindOf(testFile, sourceOf) {
  const own = sourceOf(testFile);
  if (TESTING.test(testFile) || CHANGES_PROCESS.test(own) || CHANGES_ENVIRONMENT.test(own)) return undefined;
  /** @type {keyof typeof FILES_IN_GROUP} */
  let kind = own.includes(PROGRAMS) ? 'programs' : 'plain';
  const seen = new Set();
  const waiting = [testFile];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const source = sourceOf(file);
    if (CHANGES_OTHERS.test(source)) return undefined;
    if (WERIFT.test(source)) kind = 'werift';
    else if (kind === 'plain' && TESTING.test(file) && source.includes(PROGRAMS)) kind = 'programs';
    for (const [, path] of source.matchAll(IMPORTS)) waiting.push(resolve(dirname(file), path));
  }
  return kind;
}
