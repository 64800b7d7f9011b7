import type { Tree } from './layers.ts';

/** Subjects of log lines beside the names of the folders in `SUBJECT_FOLDERS`. */
const OTHER_SUBJECTS = ['browser', 'helper', 'mdns', 'media', 'service', 'storage', 'systemd'];
const SUBJECT_FOLDERS = /^server\/(?:(?:parts|surfaces|kiosk)\/)?(\w+)\//;

/** Product code that writes to the log; tests and what serves them do not count. */
const PRODUCT =
  /^(?:server|electron)\/(?!.*\/testing\/|testing\/).*(?<!\.(?:test|full|long|electron))\.tsx?$/;

const CALL = /(?:\blog|#log|\bstrangers)\??(?:\.(?:trace|debug|info|warn|error|fatal)|\[\w+\])\(/g;

/**
 * Log lines that an operator cannot search for: a message that is not `<subject>: <what happened>` with a known subject,
 * or that has its values in the text instead of in fields.
 * @returns one sentence for each
 */
export function findUnclearLogLines(tree: Tree): string[] {
  const subjects = subjectsOf(tree);
  const problems: string[] = [];
  for (const [file, source] of tree) {
    if (!PRODUCT.test(file)) continue;
    for (const { index, 0: call } of source.matchAll(CALL)) {
      const message = lastArgument(source, index + call.length);
      const problem = problemOf(message, source, subjects);
      if (problem === undefined) continue;
      problems.push(`${file}:${source.slice(0, index).split('\n').length}: ${problem}`);
    }
    // A message that a helper passes on is written where the helper is called.
    if (!/\bLogLine\b/.test(source)) continue;
    for (const { index, 1: subject } of source.matchAll(/'(\w+): [^'\n]*'/g)) {
      if (subjects.has(subject!)) continue;
      problems.push(`${file}:${source.slice(0, index).split('\n').length}: ${unknown(subject!)}`);
    }
  }
  return problems;
}

function subjectsOf(tree: Tree): ReadonlySet<string> {
  const folders = [...tree.keys()].map((file) => SUBJECT_FOLDERS.exec(file)?.[1]);
  return new Set([...OTHER_SUBJECTS, ...folders.filter((folder) => folder !== undefined)]);
}

function problemOf(message: string, source: string, subjects: ReadonlySet<string>): string | undefined {
  if (/^\w+$/.test(message))
    return new RegExp(`\\b${message}: LogLine\\b`).test(source)
      ? undefined
      : `the message ${message} is not a text. Write it here, or give it the type LogLine.`;
  if (message.includes('`')) return 'the message has values in its text. Make them fields of the line.';
  const texts = message.match(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g) ?? [];
  if (texts.length === 0) return 'the line has no message, `<subject>: <what happened>`.';
  const subject = texts
    .map((text) => /^.(\w+): \S/.exec(text)?.[1])
    .find((name) => !subjects.has(name ?? ''));
  const hasAll = texts.every((text) => subjects.has(/^.(\w+): \S/.exec(text)?.[1] ?? ''));
  if (hasAll) return undefined;
  return subject === undefined
    ? `the message ${texts[0]} does not begin with its subject, such as \`mqtt: \`.`
    : unknown(subject);
}

function unknown(subject: string): string {
  return `${subject} is no subject of log lines. Take the name of a folder, or add it to build/check/logLines.ts.`;
}

/** The text of the last argument of a call. @param from right behind the opening bracket */
function lastArgument(source: string, from: number): string {
  let depth = 1;
  let begin = from;
  let last = '';
  let quote = '';
  for (let at = from; depth > 0 && at < source.length; at++) {
    const char = source[at]!;
    if (quote !== '') {
      if (char === '\\') at++;
      else if (char === quote) quote = '';
      continue;
    }
    if (`'"\``.includes(char)) quote = char;
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    if ((char === ',' && depth === 1) || depth === 0) {
      const argument = source.slice(begin, at).trim();
      if (argument !== '') last = argument;
      begin = at + 1;
    }
  }
  return last;
}
