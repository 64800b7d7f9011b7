import type { Feeds } from '../../index.ts';
import { UsageError } from '../failures.ts';
import { followAlways } from '../following.ts';
import type { Verb } from '../verb.ts';

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'];

/** An entry of the console of the page, for people. */
export function consoleLine(entry: Feeds['console.read']['entry']): string {
  const { time, level, text, url, line, stack } = entry;
  const place = url === null ? '' : `  (${url}${line === null ? '' : `:${line}`})`;
  const trace = level === 'exception' && stack ? `\n${stack}` : '';
  return `${clock(time)} ${level.padEnd(9)} ${text}${place}${trace}`;
}

function logLine({ time, level, msg = '', ...facts }: Feeds['log.read']['entry']): string {
  const more = Object.keys(facts).length > 0 ? `  ${JSON.stringify(facts)}` : '';
  return `${clock(time)} ${level.padEnd(5)} ${msg}${more}`;
}

/** Local time of day. */
function clock(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toTimeString().slice(0, 8);
}

export const log: Verb = {
  name: 'log',
  usage: '[--level <level>]',
  summary: 'Follow the log of the panel',
  options: ['level'],
  async run({ words, options, terminal, targets: find, forEach, answer }) {
    noWords(words);
    const { level } = options;
    if (level !== undefined && !LEVELS.includes(level))
      throw new UsageError(`--level is one of ${LEVELS.join(', ')}.`);
    const targets = await find();
    return forEach(targets, (target) =>
      followAlways(target, 'log.read', level === undefined ? {} : { level }, terminal.signal, (entry) =>
        answer(targets, target, entry, logLine(entry)),
      ),
    );
  },
};

export const pageConsole: Verb = {
  name: 'console',
  usage: '',
  summary: 'Follow the console of the page',
  options: [],
  async run({ words, terminal, targets: find, forEach, answer }) {
    noWords(words);
    const targets = await find();
    return forEach(targets, (target) =>
      followAlways(target, 'console.read', {}, terminal.signal, (entry) =>
        answer(targets, target, entry, consoleLine(entry)),
      ),
    );
  },
};

/** @throws UsageError for words that a verb does not take */
export function noWords(words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`"${words[0]}" is one word too many.`);
}
