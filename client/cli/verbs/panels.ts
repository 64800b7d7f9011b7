import { Panel, PanelError, panelUrl } from '../../index.ts';
import { EXIT, failureOf } from '../failures.ts';
import type { Target } from '../targets.ts';
import { plain } from '../terminal.ts';
import type { Run, Verb } from '../verb.ts';
import { noWords } from './feeds.ts';

/** What is known of a panel. */
interface Known {
  readonly name: string | null;
  readonly id: string | null;
  readonly address: string | null;
  readonly version: string | null;
  readonly board: string | null;
  readonly online: boolean;
  /** Whether a token of it is stored. */
  readonly login: boolean;
}

/** How long a panel may take to answer, in milliseconds. */
const ANSWER_MS = 5_000;

export const panels: Verb = {
  name: 'panels',
  usage: '',
  summary: 'List the panels: those of the logins, and those that a fleet panel among them hears',
  options: [],
  async run(run) {
    noWords(run.words);
    const { logins, options, terminal } = run;
    const kept = await logins.read();
    const asked: Target[] = kept.map(({ name, address, token }) => ({
      name,
      panel: new Panel(address, { token }),
      voice: undefined as never,
    }));
    const isNamed = options.panel !== undefined || terminal.env.FACEPLATE_PANEL || kept.length === 0;
    let isFound = true;
    if (isNamed)
      for (const target of (await run.targets()).list)
        if (!asked.some(({ panel }) => panel.address === target.panel.address)) asked.push(target);
    const found = new Map<string, Known>();
    const add = (key: string, known: Known) => {
      if (!found.has(key)) found.set(key, known);
    };
    const answers = await Promise.all(asked.map((target) => ask(target, run)));
    const isKept = (address: string) => kept.some((login) => login.address === address);
    for (const { own, address } of answers) add(address, { ...own, login: isKept(address) });
    for (const { fleet } of answers)
      for (const panel of fleet) {
        const address = panel.address === null ? null : originOf(panel.address, panel.https);
        if ([...found.values()].some(({ id }) => id !== null && id === panel.id)) continue;
        add(address ?? `id ${panel.id}`, { ...panel, address, login: address !== null && isKept(address) });
      }
    const list = [...found.values()];
    if (options.json) terminal.out(`${JSON.stringify(list)}\n`);
    else terminal.out(plain(list.map(lineOf).join('')));
    // Without any login an unreachable panel is what one wants to hear of.
    if (kept.length === 0 && answers[0]?.failure !== undefined) {
      const { code, words, exit } = failureOf(answers[0].failure);
      terminal.err(`${code}: ${words}`);
      isFound = false;
      return exit;
    }
    return isFound ? EXIT.done : EXIT.notReached;
  },
};

/** The origin of a panel that another one hears, by HTTPS where it says that it has it; earlier versions do not say. */
function originOf(address: string, https: number | null | undefined): string {
  const url = panelUrl(address);
  if (https == null) return url.origin;
  return `https://${url.hostname}:${https}`;
}

/** Asks a panel who it is and whom it hears. */
async function ask({ name, panel }: Target, { terminal }: Run) {
  const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(ANSWER_MS)]);
  const unknown = { name, id: null, address: panel.address, version: null, board: null };
  try {
    const { id, version, board, name: called } = await panel.call('system.info', {}, { signal });
    const own = { name: called, id, address: panel.address, version, board, online: true };
    const fleet = await panel
      .call('fleet.list', {}, { signal })
      .then(({ panels: heard }) => heard)
      .catch(() => []);
    return { own, address: panel.address, fleet };
  } catch (failure) {
    terminal.signal.throwIfAborted();
    // It answers, but not us.
    const online = failure instanceof PanelError;
    return { own: { ...unknown, online }, address: panel.address, fleet: [], failure };
  }
}

function lineOf({ name, address, version, board, online, login }: Known): string {
  const words = [
    (name ?? '?').padEnd(24),
    (address ?? '?').padEnd(30),
    (version ?? '?').padEnd(10),
    (board ?? '?').padEnd(12),
    online ? 'online ' : 'offline',
    login ? 'login' : '',
  ];
  return `${words.join(' ').trimEnd()}\n`;
}
