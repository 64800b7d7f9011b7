import { join } from 'node:path';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { pause } from '../../platform/async.ts';
import { bootId, otherSlot } from '../../platform/bootSlot.ts';
import type { LoginOf } from '../../platform/net/checkedRequest.ts';
import type { CallContext } from '../callContext.ts';
import { Announced } from './announced.ts';
import { assertCompatible, BundleFile } from './bundleFile.ts';
import { Automatic, Channel } from './channel.ts';
import type { UpdateState } from './contract.ts';
import type { UpdateOptions } from './driver.ts';
import { Kept, Trial } from './trial.ts';

/** From the answer to the restart, in milliseconds. */
const RESTART_MS = 10_000;
/** Longest wait of a panel that got the call with others, in milliseconds: a server is not asked by a thousand at once. */
const SPREAD_MS = 30_000;
/** How long the screen says that a version was taken back, in milliseconds. */
const TOLD_MS = 3_600_000;
const ASKED = 'Somebody asked for the version before.';

/** A signal for work that no caller waits for. */
const never = new AbortController().signal;

type Choices = Pick<ParamsOf<'update.install'>, 'older' | 'restart'> & {
  /** The panel does it unasked: it disturbs no call. */
  readonly isByItself?: boolean;
};
type Arrival = (ends: AbortSignal) => Promise<void>;

/** Versions of Faceplate: how they come, prove themselves, and go back. One at a time. */
export class UpdateService {
  readonly #options: UpdateOptions;
  readonly #file: BundleFile;
  readonly #kept: Kept;
  readonly #trial: Trial;
  readonly #channel: Channel;
  readonly #automatic: Automatic;
  readonly #announced: Announced;
  readonly #stopping = new AbortController();
  #state: UpdateState['state'] = 'idle';
  #progress: number | null = null;
  #running: Promise<unknown> | undefined;
  #cancelRestart = () => {};
  /** The restart is under way: nothing takes it back. */
  #isBegun = false;

  constructor(options: UpdateOptions) {
    const { driver, installed, dataDir, settings, events, clock, random = Math.random, log } = options;
    this.#options = options;
    const folder = join(dataDir, 'update');
    const loginOf: LoginOf = (origin) => this.#loginOf(origin);
    this.#file = new BundleFile({ ...options, folder, ending: driver.ending, loginOf });
    this.#kept = new Kept(dataDir, clock, log);
    this.#trial = new Trial({
      boot: bootId,
      ...options,
      kept: this.#kept,
      onState: (state) => this.#set(state),
    });
    this.#announced = new Announced({ state: () => this.state(), events, clock });
    this.#channel = new Channel({
      address: () => settings().channel,
      installed,
      board: driver.board,
      login: () => JSON.stringify(settings().login),
      read: (address, signal) => options.readChannel(address, loginOf, signal),
      onAvailable: () => this.#announced.changed(),
      clock,
      random,
      log,
    });
    this.#automatic = new Automatic({
      window: () => settings().window,
      mayTake: () => this.#mayTake(),
      take: () => this.#takeByItself(),
      clock,
      random,
    });
  }

  /** Continues where the last run ended: with a proof, with a version that waits, or with one that was taken back. */
  async start(): Promise<void> {
    const { driver, installed, log } = this.#options;
    const { trying, waiting } = await this.#kept.load();
    const why = await driver.takenBack().catch((error: unknown) => {
      log.warn({ err: error }, 'update: could not find out whether the last update was rolled back');
      return null;
    });
    const isHere = (one: { version: string; slot: 'A' | 'B' | null }) =>
      one.slot === null ? one.version === installed : one.slot === driver.slot;
    const asNew = { version: installed, slot: driver.slot, page: null, starts: 0, boot: null, reason: null };
    if (trying !== null && (why !== null || !isHere(trying)))
      await this.#wasReturned(trying.version, trying.reason ?? why ?? 'It did not start.');
    else if (trying !== null) await this.#trial.goOn(trying);
    else if (waiting !== null && driver.restarts === 'machine' && isHere(waiting))
      await this.#trial.goOn({ ...asNew, version: waiting.version });
    else if (waiting !== null && driver.restarts === 'machine' && why !== null)
      await this.#wasReturned(waiting.version, why);
    else if (waiting !== null) this.#set('restarting');
    // What this service was to remember is gone, as after a reset: the boot loader still counts.
    else if (await driver.isUnproven().catch(() => false)) await this.#trial.goOn(asNew);
    if (this.#kept.value.waiting === null) await this.#file.clear();
  }

  /** The panel is up. */
  ready(): void {
    const { driver, clock } = this.#options;
    this.#trial.ready();
    this.#channel.start();
    this.#automatic.start();
    const { last, waiting } = this.#kept.value;
    if (waiting !== null && driver.restarts === 'service') void this.#restart();
    if (last?.result !== 'returned' || last.reason === ASKED) return;
    const left = Date.parse(last.at) + TOLD_MS - clock.wall();
    if (left > 0 && left <= TOLD_MS) this.#options.tell(last.version, Math.ceil(left / 1_000));
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new FaceplateError('SHUTTING_DOWN'));
    this.#automatic.stop();
    this.#channel.stop();
    this.#announced.stop();
    this.#cancelRestart();
    await this.#running?.catch(() => {});
    await this.#trial.stop();
  }

  /** The login of the channel, where its own server is asked: for the list, and for bundles that lie beside it. */
  #loginOf(origin: string): ReturnType<LoginOf> {
    const { channel, login } = this.#options.settings();
    const { username, password } = login;
    const isTheirs = URL.canParse(channel) && new URL(channel).origin === origin;
    return isTheirs && username !== undefined ? { username, password: password ?? '' } : undefined;
  }

  /** The bundles that fit this panel. */
  get board(): string {
    return this.#options.driver.board;
  }

  /** The oldest version that this panel takes. */
  oldest(): Promise<string> {
    return this.#options.driver.oldest();
  }

  /** Settings may have changed. */
  follow(): void {
    this.#channel.follow();
  }

  state(): ResultOf<'update.state'> {
    const { driver, installed } = this.#options;
    const { available } = this.#channel;
    return {
      installed,
      slot: driver.slot,
      available: available
        ? { version: available.version, notes: available.notes, size: available.size }
        : null,
      state: this.#state,
      progress: this.#progress,
      last: this.#kept.value.last,
    };
  }

  /** @throws FaceplateError INVALID_REQUEST, CONFLICT, UPDATE_FAILED, UNSUPPORTED_HARDWARE, STORAGE_FULL, those of the upload */
  install(params: ParamsOf<'update.install'>, { signal }: CallContext): Promise<ResultOf<'update.install'>> {
    const arrive: Arrival = (ends) => this.#file.receive(params.bundle, ends, this.#received);
    return this.#alone(arrive, params, signal);
  }

  /** @throws FaceplateError INVALID_REQUEST, CONFLICT, UPDATE_FAILED, TOO_LARGE, UNSUPPORTED_HARDWARE, STORAGE_FULL */
  fetch(params: ParamsOf<'update.fetch'>, context: CallContext): Promise<ResultOf<'update.fetch'>> {
    return this.#fetch(params, context);
  }

  async #fetch(
    params: ParamsOf<'update.fetch'> & Choices,
    { signal, isOneOfMany = false }: CallContext,
  ): Promise<{ version: string }> {
    const { clock, random = Math.random } = this.#options;
    this.#mustBeIdle();
    const { url, sha256 } = params.url === undefined ? (this.#channel.available ?? {}) : params;
    if (url === undefined || sha256 === undefined)
      throw new FaceplateError('CONFLICT', 'No newer version is available for this panel.');
    const arrive: Arrival = async (ends) => {
      if (isOneOfMany) await pause(random() * SPREAD_MS, clock, ends);
      ends.throwIfAborted();
      await this.#file.fetch(url, sha256, ends, this.#received);
    };
    return this.#alone(arrive, params, signal);
  }

  /** @throws FaceplateError CONFLICT, STORAGE_FULL */
  async return(): Promise<ResultOf<'update.return'>> {
    const { driver, installed } = this.#options;
    const { waiting, returned } = this.#kept.value;
    if (this.#state === 'restarting' && waiting !== null && !this.#isBegun) {
      this.#cancelRestart();
      this.#isBegun = true;
      await driver.discard();
      await this.#ended(waiting.version, 'It was taken back before the restart.');
      await this.#file.clear();
      return { version: installed };
    }
    if (this.#state !== 'proving') this.#mustBeIdle();
    const before = await driver.before();
    if (before === null) throw new FaceplateError('CONFLICT', 'There is no version before this one.');
    if (returned.includes(before))
      throw new FaceplateError('CONFLICT', `${before} was taken back: it is no version to return to.`);
    await this.#trial.return(ASKED, RESTART_MS);
    return { version: before };
  }

  /** Brings a bundle here, and installs it. A caller who hangs up before it is here ends it; later no one can. */
  async #alone(arrive: Arrival, choices: Choices, signal: AbortSignal): Promise<{ version: string }> {
    this.#mustBeIdle();
    this.#set('fetching');
    const ends = AbortSignal.any([signal, this.#stopping.signal]);
    const running = arrive(ends).then(() => this.#take(choices));
    this.#running = running;
    try {
      return { version: await running };
    } catch (error) {
      await this.#file.clear();
      this.#set('idle');
      this.#options.log.warn({ err: error }, 'update: could not install the version');
      throw error;
    } finally {
      this.#running = undefined;
    }
  }

  async #take({ older, restart, isByItself = false }: Choices): Promise<string> {
    const { driver, installed, log } = this.#options;
    const bundle = await driver.inspect(this.#file.path);
    const oldest = await driver.oldest();
    const version = assertCompatible(bundle, { board: driver.board, installed, older, oldest });
    this.#set('installing', 0);
    await driver.install(this.#file.path, (percent) => this.#set('installing', Math.floor(percent)));
    try {
      await this.#kept.save({ waiting: { version, slot: driver.slot && otherSlot(driver.slot) } });
    } catch (error) {
      await driver.discard();
      throw error;
    }
    log.info({ version, installed, restart }, 'update: version installed');
    this.#isBegun = false;
    this.#set('restarting');
    if (restart) this.#restartSoon(isByItself);
    return version;
  }

  #restartSoon(isByItself: boolean): void {
    const { clock, isInCall } = this.#options;
    this.#cancelRestart = clock.after(RESTART_MS, async () => {
      const mustWait = isByItself && (await isInCall().catch(() => false));
      if (mustWait) this.#restartSoon(true);
      else await this.#restart();
    });
  }

  /** Begins the version that waits. The service ends meanwhile. */
  async #restart(): Promise<void> {
    const { driver, panel, log } = this.#options;
    const { waiting } = this.#kept.value;
    if (waiting === null || this.#isBegun || this.#stopping.signal.aborted) return;
    this.#isBegun = true;
    const page = panel.page()?.state ?? 'shown';
    const trying = { ...waiting, page: page === 'shown' ? null : page, starts: 0, boot: null, reason: null };
    try {
      await this.#kept.save({ waiting: null, trying });
      log.warn(waiting, 'update: restarting into the new version');
      await driver.restart(this.#file.path);
    } catch (error) {
      log.error({ err: error }, 'update: could not start the installed version');
      const why = error instanceof FaceplateError ? error.message : 'It could not be started.';
      await this.#ended(waiting.version, why).catch(() => {});
    }
  }

  /** This start found that a version was taken back. */
  async #wasReturned(version: string, reason: string): Promise<void> {
    this.#options.log.error({ version, reason }, 'update: version rolled back');
    this.#options.note('update.state', { version, result: 'returned', reason });
    // Of a restart that never came, the next boot would still take it.
    await this.#options.driver.discard().catch((error: unknown) => {
      this.#options.log.error(
        { version, err: error },
        'update: could not remove the version that was rolled back',
      );
    });
    await this.#ended(version, reason).catch(() => {});
  }

  /** A try that is over without having become good. */
  async #ended(version: string, reason: string): Promise<void> {
    try {
      await this.#kept.noteReturned(version, reason);
    } finally {
      this.#isBegun = false;
      this.#set('idle');
    }
  }

  async #mayTake(): Promise<boolean> {
    const version = this.#channel.available?.version;
    if (version === undefined || this.#state !== 'idle') return false;
    return !this.#kept.value.returned.includes(version) && !(await this.#options.isInCall());
  }

  #takeByItself(): Promise<unknown> {
    this.#options.note('update.fetch', { version: this.#channel.available?.version });
    return this.#fetch({ older: false, restart: true, isByItself: true }, { signal: never });
  }

  #mustBeIdle(): void {
    if (this.#state === 'idle') return;
    const words = { fetching: 'on its way', installing: 'being installed', restarting: 'about to start' };
    const how = this.#state === 'proving' ? 'proving itself' : words[this.#state];
    throw new FaceplateError('CONFLICT', `A version is ${how} already.`);
  }

  readonly #received = (received: number, total: number | null): void => {
    this.#set('fetching', total ? Math.min(100, Math.floor((100 * received) / total)) : null);
  };

  #set(state: UpdateState['state'], progress: number | null = null): void {
    this.#state = state;
    this.#progress = progress;
    this.#announced.changed();
  }
}
