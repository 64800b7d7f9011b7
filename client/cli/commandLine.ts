import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT, failureOf, UsageError } from './failures.ts';
import { Logins } from './logins.ts';
import { findTargets, forEach, type Targets } from './targets.ts';
import type { Terminal } from './terminal.ts';
import type { Options, Run, Verb } from './verb.ts';
import { call, table } from './verbs/call.ts';
import { completionVerb } from './verbs/completion.ts';
import { create } from './verbs/create.ts';
import { log, pageConsole } from './verbs/feeds.ts';
import { login } from './verbs/login.ts';
import { panels } from './verbs/panels.ts';
import { push } from './verbs/push.ts';
import { rollout } from './verbs/rollout.ts';
import { screenshot } from './verbs/screenshot.ts';

/** Options of every verb. */
const COMMON = ['panel', 'token', 'json', 'help'] as const;

const OPTION_WORDS: Readonly<Record<keyof Options, string>> = {
  panel:
    'name or address of a panel, or all; may be given more than once (else FACEPLATE_PANEL, else 127.0.0.1:8080)',
  token: 'token of the panel (else FACEPLATE_TOKEN, else that of faceplate login)',
  json: 'print answers as JSON, one line each',
  help: 'print this',
  name: 'name of the project (else that of package.json, of faceplate.json, or of the folder)',
  template: 'plain (the default), vite or react',
  watch: 'go on: install again after each save, and print the console of the page',
  level: 'only lines of this level and graver ones',
  groups: 'groups of panels, with commas between',
  ids: 'ids of panels, with commas between',
  canary: 'how many panels go first (default 1)',
  parallel: 'how many panels at a time after them (default 10)',
  'healthy-for': 'seconds that a page must be shown (default 60)',
};

const verbs: readonly Verb[] = [
  panels,
  call,
  create,
  push,
  log,
  pageConsole,
  screenshot,
  rollout,
  login,
  completionVerb(() => ({ verbs, common: COMMON })),
];

const optionTypes = {
  panel: { type: 'string', multiple: true },
  token: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  name: { type: 'string' },
  template: { type: 'string' },
  watch: { type: 'boolean', short: 'w' },
  level: { type: 'string' },
  groups: { type: 'string' },
  ids: { type: 'string' },
  canary: { type: 'string' },
  parallel: { type: 'string' },
  'healthy-for': { type: 'string' },
} as const;

/** Runs one command line. @returns the exit code; faults of our own are thrown */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const { values, positionals } = parse(args);
    const [name, ...words] = positionals;
    if (values.version) {
      terminal.out(`${versionOf()}\n`);
      return EXIT.done;
    }
    if (name === undefined || name === 'help') {
      const isAsked = values.help === true || name === 'help';
      if (!isAsked) throw new UsageError(`What shall be done?\n\n${help()}`);
      terminal.out(`${help()}\n`);
      return EXIT.done;
    }
    const verb = verbs.find((each) => each.name === name);
    if (verb === undefined) throw new UsageError(`There is no "${name}". See: faceplate --help`);
    if (values.help) {
      terminal.out(`${helpOf(verb, words)}\n`);
      return EXIT.done;
    }
    for (const option of Object.keys(values))
      if (![...COMMON, ...verb.options].includes(option as keyof Options))
        throw new UsageError(`--${option} is no option of ${verb.name}. See: faceplate ${verb.name} --help`);
    return await verb.run(runOf(words, values as Options, terminal));
  } catch (error) {
    if (terminal.signal.aborted && error === terminal.signal.reason) return EXIT.interrupted;
    const { code, words, exit } = failureOf(error);
    terminal.err(`${code}: ${words}`);
    return exit;
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: optionTypes, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}. See: faceplate --help`);
  }
}

function runOf(words: readonly string[], options: Options, terminal: Terminal): Run {
  const logins = new Logins(terminal.env);
  let areMany = false;
  return {
    words,
    options,
    terminal,
    logins,
    targets: async () => {
      const targets = await findTargets(options, logins, terminal);
      areMany = targets.areMany;
      return targets;
    },
    forEach: (targets: Targets, work) =>
      forEach(
        targets,
        ({ name }, code, error) => {
          if (options.json && areMany) terminal.out(`${JSON.stringify({ panel: name, error, code })}\n`);
          else terminal.err(`${areMany ? `${name}: ` : ''}${code}: ${error}`);
        },
        terminal.signal,
        work,
      ),
    answer: (targets, { name, voice }, answer, words) => {
      if (options.json)
        terminal.out(`${JSON.stringify(targets.areMany ? { panel: name, answer } : answer)}\n`);
      else voice.say(words ?? (typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2)));
    },
  };
}

function help(): string {
  return `faceplate <what> [options]: speaks to Faceplate panels

${table(verbs.map(({ name, usage, summary }) => [`${name} ${usage}`.trim().slice(0, 40), summary] as const))}

${optionsHelp(COMMON)}

Exit codes: 0 done; 1 refused by the panel, or a roll-out that stopped; 2 used wrongly; 3 not reached.
faceplate <what> --help tells more.`;
}

function helpOf(verb: Verb, words: readonly string[]): string {
  const own =
    verb.help?.(words) ?? `faceplate ${verb.name} ${verb.usage}`.trim().concat(`\n\n${verb.summary}.`);
  return `${own}\n\n${optionsHelp([...verb.options, ...COMMON])}`;
}

function optionsHelp(names: readonly (keyof Options)[]): string {
  return `Options:\n${table(names.map((name) => [`--${name}`, OPTION_WORDS[name]] as const))}`;
}

function versionOf(): string {
  const path = join(import.meta.dirname, '../../package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
