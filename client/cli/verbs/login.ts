import { hostname, userInfo } from 'node:os';
import { Panel } from '../../index.ts';
import { UsageError } from '../failures.ts';
import type { Verb } from '../verb.ts';

/** Longest name of a token. */
const MOST_CHARACTERS = 64;

export const login: Verb = {
  name: 'login',
  usage: '[code]',
  summary: 'Log in with the pairing code that the panel shows (8 digits), or keep the token of --token',
  options: [],
  async run({ words, options, terminal, logins, targets: find, forEach, answer }) {
    if (words.length > 1) throw new UsageError('One code at a time.');
    const targets = await find();
    const [target] = targets.list;
    if (target === undefined || targets.list.length > 1)
      throw new UsageError('Log in to one panel at a time: name it with --panel.');
    // What is refused is the code or the token that was given, so the panel's own sentence is the one to read.
    const known = { ...targets, list: [{ ...target, isLoggedIn: true }] };
    return forEach(known, async ({ panel, voice }) => {
      const { signal } = terminal;
      const given = words[0] === undefined ? options.token : undefined;
      const token = given ?? (await tokenFor(panel, await codeOf(words[0]), signal));
      const { name, id } = await new Panel(panel.address, { token }).call('system.info', {}, { signal });
      await logins.keep({ name, id, address: panel.address, token });
      answer(targets, target, { name, id, address: panel.address }, `logged in to ${name}, ${panel.address}`);
      voice.note(`It is now --panel ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}.`);
    });

    async function codeOf(word: string | undefined): Promise<string> {
      const text = word ?? (await terminal.readLine('Pairing code of the panel: '));
      const code = (text ?? '').replace(/[\s-]/g, '');
      if (!/^\d{8}$/.test(code))
        throw new UsageError('A pairing code has 8 digits; the panel shows it under Settings.');
      return code;
    }
  },
};

async function tokenFor(panel: Panel, code: string, signal: AbortSignal): Promise<string> {
  // Characters, not halves of one; what a token may not be called is left out.
  const who = `${userInfo().username}@${hostname()}`.replace(/\p{Cc}/gu, '');
  const name = [...who].slice(0, MOST_CHARACTERS).join('') || 'faceplate';
  // A pairing needs no token, and a wrong one would be refused.
  const { token } = await new Panel(panel.address).call('pairing.finish', { code, name }, { signal });
  return token;
}
