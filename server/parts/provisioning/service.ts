import { createHash } from 'node:crypto';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { pause } from '../../platform/pause.ts';
import type { Provisioning } from './contract.ts';
import type { BootPartition, ProvisionedPanel } from './driver.ts';
import { judge } from './judge.ts';

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

  /** The panel is up: whoever stands before it hears what is wrong. */
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
