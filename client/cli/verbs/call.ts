import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { commands, type Described } from '../description.ts';
import { UsageError } from '../failures.ts';
import { paramsOf } from '../fields.ts';
import { followAlways } from '../following.ts';
import type { Verb } from '../verb.ts';

/** The command of this name. @throws UsageError, with names like it */
export function commandNamed(name: string | undefined): Described {
  if (name === undefined) throw new UsageError('Which command? See: faceplate call --help');
  const command = commands().get(name);
  if (command !== undefined) return command;
  const like = [...commands().keys()].filter((each) => each.startsWith(`${name.split('.')[0]}.`));
  throw new UsageError(
    `There is no command "${name}".${like.length > 0 ? ` There are ${like.join(', ')}.` : ' See: faceplate call --help'}`,
  );
}

export const call: Verb = {
  name: 'call',
  usage: '<command> [key=value…]',
  summary: 'Call a command of the panel and print its answer',
  options: [],
  help: ([name]) => (name === undefined ? listOf(commands().values()) : helpOf(commandNamed(name))),
  async run({ words: [name, ...words], options, terminal, targets: find, forEach, answer }) {
    const command = commandNamed(name);
    const params = paramsOf(words, command);
    for (const { name: field, isNeeded } of command.fields)
      if (isNeeded && [undefined, ''].includes(params[field] as undefined | string))
        throw new UsageError(`${command.name} needs ${field}=…; see: faceplate call ${command.name} --help`);
    if (command.takesFile) params.body = await fileAt(String(params.body));
    const targets = await find();
    return forEach(targets, async (target) => {
      if (command.isFeed) {
        const give = (entry: unknown) => answer(targets, target, entry, JSON.stringify(entry));
        return followAlways(target, command.name as 'log.read', params, terminal.signal, give);
      }
      const result = await target.voice.during(command.name, () =>
        target.panel.callAny(command.name, params, { signal: terminal.signal }),
      );
      if (!(result instanceof Uint8Array)) return answer(targets, target, result);
      if (targets.areMany || options.json)
        throw new UsageError(
          `${command.name} answers a file: call one panel, without --json, into > a file.`,
        );
      terminal.out(result);
    });
  },
};

async function fileAt(path: string): Promise<Uint8Array> {
  if (path === '-') return buffer(process.stdin);
  return readFile(path).catch((error: Error) => {
    throw new UsageError(`The file cannot be read: ${error.message}.`);
  });
}

function listOf(all: Iterable<Described>): string {
  const rows = [...all].map(({ name, summary }) => [name, summary] as const);
  return `faceplate call <command> [key=value…]

Values are JSON, or text as it stands; a point in a key goes one level down (kiosk.url=http://…).
Commands; faceplate call <command> --help tells more of each:

${table(rows)}`;
}

function helpOf({ name, summary, scope, fields, isFeed }: Described): string {
  const rows = fields.map(
    ({ name: key, type, isNeeded, words }) =>
      [`${key}=`, `${type}${isNeeded ? ', needed' : ''}${words === '' ? '' : `: ${words}`}`] as const,
  );
  return `faceplate call ${name}${fields.length > 0 ? ' [key=value…]' : ''}

${summary}
${isFeed ? 'It goes on until Ctrl+C.\n' : ''}${scope === undefined ? '' : `Scope of the token: ${scope}.\n`}${rows.length > 0 ? `\n${table(rows)}` : ''}`.trimEnd();
}

/** Two columns. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n');
}
