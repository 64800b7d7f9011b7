import { createHash } from 'node:crypto';
import { FaceplateError } from '../../contract/errors.ts';
import { mistakesOf } from '../../contract/mistakes.ts';
import { pause } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { type Provisioning, provisioning } from './contract.ts';

/** The boot partition, where a person puts a file that sets the panel up. */
export interface BootPartition {
  /** The file's text; null where there is none. @throws FaceplateError TOO_LARGE, HARDWARE_ERROR */
  read(): Promise<string | null>;
  /** Whether a file is beside it. */
  has(name: string): boolean;
  /** The place of a file beside it. */
  pathOf(name: string): string;
  /** Overwrites the bytes of the file, and leaves this text in its place. @throws FaceplateError HARDWARE_ERROR */
  taken(applied: string): Promise<void>;
  /** Leaves the mistakes beside the file, which stays. @throws FaceplateError HARDWARE_ERROR */
  refused(mistakes: string): Promise<void>;
}

/** What a file may set, each as a caller could. Failures are FaceplateErrors or errno exceptions. */
export interface ProvisionedPanel {
  /** What is wrong with a tree of settings, each mistake with its key and never with a value. */
  settingsMistakes(tree: Readonly<Record<string, unknown>>): readonly string[];
  /** The tree by key, secrets as "…". */
  maskedSettings(tree: unknown): Readonly<Record<string, unknown>>;
  changeSettings(tree: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Keeps a Wi-Fi network, which is joined as soon as it is in reach. @returns the way back */
  saveWifi(ssid: string, password: string | undefined): Promise<() => Promise<void>>;
  /** Installs and shows a project. @returns the way back */
  installProject(path: string): Promise<() => Promise<void>>;
  /** @returns the way back */
  setHostname(name: string): Promise<() => Promise<void>>;
  /** @returns the way back */
  setTimeZone(name: string): Promise<() => Promise<void>>;
  /** Marks the panel for a reset, which the next start carries out. @param of the file that asked for it */
  markReset(of: string): Promise<void>;
  /** The file that asked for the reset that this start comes from; null where it comes from none. */
  readonly resetOf: string | null;
  /** The first set-up does not ask for these any more. */
  noteGiven(steps: readonly ('language' | 'name' | 'pin' | 'network' | 'time' | 'show')[]): Promise<void>;
  /** Begins the service anew. */
  restart(why: 'reset' | 'asked'): void;
}

interface ProvisioningOptions {
  /** null where this is no disk image. */
  readonly partition: BootPartition | null;
  readonly panel: ProvisionedPanel;
  /** Notes what the panel did by itself in the journal. */
  note(command: string, params: object): void;
  /** Says on the screen what is wrong with the file. */
  tell(mistakes: readonly string[]): void;
  readonly clock: Clock;
  readonly log: Logger;
}

const HIDDEN = '…';
/** How long the network may take to come up, and between two tries, in milliseconds. */
const NETWORK_MS = 60_000;
const AGAIN_MS = 2_000;

/** Sets the panel up by a file on its boot partition: all of it or nothing, at each start where there is one. */
export class ProvisioningService {
  readonly #options: ProvisioningOptions;
  readonly #stopping = new AbortController();
  #mistakes: readonly string[] = [];

  constructor(options: ProvisioningOptions) {
    this.#options = options;
  }

  /** Never fails: a panel starts with every file, and without any. */
  async start(): Promise<void> {
    const { partition, log } = this.#options;
    if (partition === null) return;
    try {
      const text = await partition.read();
      if (text !== null) await this.#carryOut(text, partition);
    } catch (error) {
      // Nothing was taken, and the next start tries again.
      if (this.#stopping.signal.aborted) return;
      log.error({ err: error }, 'provisioning: could not apply faceplate.json');
      await this.#refuse([sentenceOf(error)], partition);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new FaceplateError('SHUTTING_DOWN'));
  }

  /** The panel is up: tells the person in front of it what is wrong. */
  ready(): void {
    if (this.#mistakes.length > 0) this.#options.tell(this.#mistakes);
  }

  async #carryOut(text: string, partition: BootPartition): Promise<void> {
    const { panel, note, log } = this.#options;
    const judged = judge(text, {
      settingsMistakes: (tree) => panel.settingsMistakes(tree),
      has: (name) => partition.has(name),
    });
    if ('mistakes' in judged) return this.#refuse(judged.mistakes, partition);
    const { wanted } = judged;
    const file = createHash('sha256').update(text).digest('hex');
    if (wanted.reset === true && panel.resetOf !== file) {
      // The file stays until the empty panel has taken it.
      log.warn('provisioning: faceplate.json requests a reset');
      await panel.markReset(file);
      panel.restart('reset');
      return;
    }
    await this.#apply(wanted, partition);
    const applied = this.#masked(wanted);
    await partition.taken(`${JSON.stringify(applied, null, 2)}\n`);
    await panel.noteGiven(given(wanted));
    note('panel.provision', { result: 'taken', applied });
    log.warn({ keys: Object.keys(wanted) }, 'provisioning: faceplate.json applied');
    panel.restart('asked');
  }

  /** All of it, or nothing: what was done before a step that fails is taken back. */
  async #apply(wanted: Provisioning, partition: BootPartition): Promise<void> {
    const { panel, log } = this.#options;
    const { project, timeZone, hostname, wifi, settings } = wanted;
    const back: (() => Promise<void>)[] = [];
    try {
      if (project !== undefined) back.push(await panel.installProject(partition.pathOf(project)));
      if (timeZone !== undefined) back.push(await panel.setTimeZone(timeZone));
      if (hostname !== undefined) back.push(await panel.setHostname(hostname));
      if (wifi !== undefined)
        back.push(await this.#patiently(() => panel.saveWifi(wifi.ssid, wifi.password)));
      if (settings !== undefined) await panel.changeSettings(settings);
    } catch (error) {
      for (const undo of back.reverse())
        await undo().catch((failed: unknown) =>
          log.error({ err: failed }, 'provisioning: could not undo a step'),
        );
      throw error;
    }
  }

  /** At boot, what manages the network may come up after this service. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const end = clock.now() + NETWORK_MS;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const mayCome =
          error instanceof FaceplateError && ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'].includes(error.code);
        if (!mayCome || clock.now() >= end || this.#stopping.signal.aborted) throw error;
      }
      await pause(AGAIN_MS, clock, this.#stopping.signal);
    }
  }

  #masked({ wifi, settings, ...others }: Provisioning): object {
    return {
      ...others,
      ...(wifi && { wifi: { ...wifi, ...(wifi.password !== undefined && { password: HIDDEN }) } }),
      ...(settings && { settings: this.#options.panel.maskedSettings(settings) }),
    };
  }

  async #refuse(mistakes: readonly string[], partition: BootPartition): Promise<void> {
    const { note, log } = this.#options;
    this.#mistakes = mistakes;
    note('panel.provision', { result: 'refused', mistakes });
    log.error({ mistakes }, 'provisioning: faceplate.json has mistakes, nothing was applied');
    const text = ['Nothing of faceplate.json was taken:', ...mistakes.map((line) => `- ${line}`), ''];
    await partition
      .refused(text.join('\r\n'))
      .catch((error: unknown) =>
        log.error({ err: error }, 'provisioning: could not write faceplate.errors.txt'),
      );
  }
}

/** The steps of the first set-up that a file has answered. */
function given({ wifi, timeZone, project, settings = {} }: Provisioning) {
  const has = (key: string) => {
    const [group = '', name = ''] = key.split('.');
    const values = settings[group];
    return settings[key] !== undefined || (typeof values === 'object' && values !== null && name in values);
  };
  const steps = {
    language: has('device.language'),
    name: has('device.name'),
    pin: has('kiosk.pin'),
    network: wifi !== undefined,
    time: timeZone !== undefined,
    show: project !== undefined || has('kiosk.url'),
  };
  return (Object.keys(steps) as (keyof typeof steps)[]).filter((step) => steps[step]);
}

function sentenceOf(error: unknown): string {
  return error instanceof FaceplateError ? error.message : 'The panel could not take it; its log says why.';
}

/** A file without a mistake, or all of its mistakes: each a line, none with a value of the file. */
type Judged = { readonly wanted: Provisioning } | { readonly mistakes: readonly string[] };

/** Longest line, and most of them: they contain what a stranger wrote. */
const LINE = 300;
const MOST = 100;

interface Around {
  /** What is wrong with a tree of settings. */
  settingsMistakes(tree: Readonly<Record<string, unknown>>): readonly string[];
  /** Whether a file is beside this one. */
  has(name: string): boolean;
}

/** Judges the text of `faceplate.json`. */
export function judge(text: string, { settingsMistakes, has }: Around): Judged {
  let content: unknown;
  try {
    // Some editors put a mark at the beginning of what they write.
    content = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return { mistakes: ['It is not valid JSON.'] };
  }
  const parsed = provisioning.safeParse(content);
  const mistakes = mistakesOf(provisioning, content, { quotes: false }).map(({ field, words }) =>
    field === '' ? `It ${words}` : `${field}: ${words}`,
  );
  const { settings, project } = (content ?? {}) as { settings?: unknown; project?: unknown };
  const name = provisioning.shape.project.safeParse(project).data;
  if (name !== undefined && !has(name)) mistakes.push('project: there is no such file beside faceplate.json');
  if (typeof settings === 'object' && settings !== null && !Array.isArray(settings))
    mistakes.push(...settingsMistakes(settings as Record<string, unknown>).map((one) => `settings: ${one}`));
  if (parsed.success && mistakes.length === 0) return { wanted: parsed.data };
  return { mistakes: mistakes.slice(0, MOST).map((line) => line.replaceAll(/\p{Cc}/gu, ' ').slice(0, LINE)) };
}
