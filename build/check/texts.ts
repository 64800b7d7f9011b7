import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Tree } from './layers.ts';

/** Relative links of the Markdown files whose target does not exist below `root`. */
export function checkLinks(tree: Tree, root: string): string[] {
  const problems: string[] = [];
  for (const [file, text] of tree) {
    if (!file.endsWith('.md')) continue;
    for (const [, target] of text.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      if (!existsSync(join(root, dirname(file), target!))) {
        problems.push(`${file}: the link to ${target} leads nowhere. Fix or remove it.`);
      }
    }
  }
  return problems;
}

interface Forbidden {
  readonly pattern: RegExp;
  readonly what: string;
}

/** Patterns that no committed text may contain: facts of one machine, and leftovers of a merge. */
function forbidden(root: string): readonly Forbidden[] {
  const own = [`${root}/`, `${homedir()}/`].map((path) => path.replaceAll(/[.\\+*?^${}()|[\]]/g, '\\$&'));
  return [
    {
      pattern: new RegExp(`(?<![\\w.~-])(?:${own.join('|')}|/(?:work|farm|root)/)`),
      what: 'a path of one machine',
    },
    { pattern: /\bregistry\.[a-z0-9-]+\.[a-z]/, what: 'the host of a package registry' },
    { pattern: /^\s*"resolved": "http/m, what: 'the host of a package registry' },
    { pattern: /^(?:<{7}|>{7}) /m, what: 'the mark of a conflict that was not resolved' },
  ];
}

/** Places where a text contains a forbidden pattern. */
export function checkForbiddenTexts(tree: Tree, root: string): string[] {
  const problems: string[] = [];
  for (const [file, text] of tree) {
    for (const { pattern, what } of forbidden(root)) {
      const match = pattern.exec(text);
      if (match === null) continue;
      const line = text.slice(0, match.index).split('\n').length;
      problems.push(`${file}:${line}: "${match[0].trim()}" is ${what}. Fix or remove it.`);
    }
  }
  return problems;
}
