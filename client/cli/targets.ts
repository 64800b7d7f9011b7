import { Panel, PanelError } from '../index.ts';
import { EXIT, failureOf, UsageError } from './failures.ts';
import { localToken } from './localToken.ts';
import { find, type Logins } from './logins.ts';
import { Output, type Terminal } from './terminal.ts';

/** The panel that is asked where nothing says another one. */
const USUAL_PANEL = '127.0.0.1:8080';

export interface TargetOptions {
  readonly panel?: readonly string[] | undefined;
  readonly token?: string | undefined;
}

/** A panel to speak to. */
export interface Target {
  readonly name: string;
  readonly panel: Panel;
  readonly voice: Output;
  /** Whether the token was given or stored for it. */
  readonly isLoggedIn?: boolean;
}

/** The panels that are meant, and whether each line needs a name. */
export interface Targets {
  readonly list: readonly Target[];
  readonly areMany: boolean;
}

/**
 * The panels of `--panel`, else `FACEPLATE_PANEL`, else the one of this machine. A stored token is sent to the
 * address it was stored for, and to no other; the panel of this machine gets the one in its own data folder.
 * @throws UsageError
 */
export async function findTargets(
  options: TargetOptions,
  logins: Logins,
  terminal: Terminal,
): Promise<Targets> {
  const wanted = options.panel ?? [terminal.env.FACEPLATE_PANEL || USUAL_PANEL];
  const kept = await logins.read();
  const areMany = wanted.length > 1 || wanted[0] === 'all';
  const given = options.token ?? (terminal.env.FACEPLATE_TOKEN || undefined);
  if (wanted.includes('all') && kept.length === 0)
    throw new UsageError('"all" means the panels of `faceplate login`: there is none yet.');
  const found = wanted.flatMap((text) => {
    if (text === 'all') return kept.map(({ name, address, token }) => ({ name, address, token }));
    const login = find(kept, text);
    return [{ name: login?.name ?? text, address: login?.address ?? text, token: login?.token }];
  });
  const list = found.map(({ name, address, token }) => {
    const isLoggedIn = (given ?? token) !== undefined;
    const { address: origin } = panelAt(address, undefined);
    return {
      name,
      panel: panelAt(address, given ?? token ?? localToken(origin, terminal.env)),
      voice: new Output(terminal, areMany ? name : undefined),
      isLoggedIn,
    };
  });
  return { list, areMany };
}

/** The panel wants a token, and none is known for it. */
function howToLogIn({ panel: { address } }: Target): string {
  const { host, hostname } = new URL(address);
  const isUsual = address === panelAt(USUAL_PANEL, undefined).address;
  return `Not logged in to ${hostname}. Run: faceplate login 12345678${isUsual ? '' : ` --panel ${host}`}, with the pairing code that the panel shows under Settings.`;
}

function panelAt(address: string, token: string | undefined): Panel {
  try {
    return new Panel(address, token === undefined ? {} : { token });
  } catch {
    throw new UsageError(`"${address}" is no address of a panel, and no panel of that name is known.`);
  }
}

/** Words for one panel that failed. */
export type Fail = (target: Target, code: string, words: string) => void;

/** Runs `work` for all panels at the same time. @returns the greatest exit code */
export async function forEach(
  { list }: Targets,
  fail: Fail,
  signal: AbortSignal,
  work: (target: Target) => Promise<void>,
): Promise<number> {
  const exits = await Promise.all(
    list.map(async (target) => {
      try {
        await work(target);
        return EXIT.done;
      } catch (error) {
        if (signal.aborted && error === signal.reason) return EXIT.interrupted;
        const { code, words, exit } = failureOf(error);
        const isStranger = error instanceof PanelError && code === 'UNAUTHORIZED' && !target.isLoggedIn;
        fail(target, code, isStranger ? howToLogIn(target) : words);
        return exit;
      }
    }),
  );
  return Math.max(EXIT.done, ...exits);
}
