import type { EventPayload } from '../../../contract/events.ts';
import type { PageState } from '../../../kiosk/contract.ts';
import { DiskSpace } from '../../../platform/archive/diskSpace.ts';
import type { WallClock } from '../../../platform/clock.ts';
import { silentLogger } from '../../../platform/log.ts';
import { FakeWallClock } from '../../../testing/fakeClock.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import type { Bundle, UpdateDriver, UpdateOptions } from '../driver.ts';
import { UpdateService } from '../service.ts';

/** Versions in memory: what a bundle says of itself is its text, `1.2.3 debian-test`. */
export class FakeVersions implements UpdateDriver {
  slot: 'A' | 'B' | null = null;
  readonly ending = 'deb';
  readonly board = 'debian-test';
  restarts: 'machine' | 'service' = 'service';
  readonly asked: string[] = [];
  bundle: Bundle = { signature: 'known', version: '1.1.0', board: 'debian-test' };
  oldestVersion = '0.0.0';
  beforeVersion: string | null = null;
  why: string | null = null;
  unproven = false;
  /** Thrown by the next call of that name. */
  readonly failures = new Map<string, Error>();

  async oldest(): Promise<string> {
    return this.oldestVersion;
  }

  async inspect(): Promise<Bundle> {
    return this.bundle;
  }

  async install(_path: string, onProgress: (percent: number) => void): Promise<void> {
    this.#note('install');
    onProgress(50.5);
  }

  async discard(): Promise<void> {
    this.#note('discard');
  }

  async restart(): Promise<void> {
    this.#note('restart');
  }

  async before(): Promise<string | null> {
    return this.beforeVersion;
  }

  async return(): Promise<void> {
    this.#note('return');
  }

  async markGood(): Promise<void> {
    this.#note('markGood');
  }

  async isUnproven(): Promise<boolean> {
    return this.unproven;
  }

  async takenBack(): Promise<string | null> {
    return this.why;
  }

  #note(name: string): void {
    this.asked.push(name);
    const failure = this.failures.get(name);
    if (failure !== undefined) throw failure;
  }
}

/** A panel whose service is restarted over the same data folder, at a clock that stands still. */
export class UpdatePanel<D extends UpdateDriver = FakeVersions> implements AsyncDisposable {
  readonly dataDir = temporaryFolder('update');
  /** Of the next start. */
  driver: D;
  readonly clock = new FakeWallClock('2026-05-04T12:00:00.000Z');
  readonly events: EventPayload<'update'>[] = [];
  readonly noted: unknown[] = [];
  readonly told: unknown[] = [];
  readonly settings = { channel: '', login: {} as { username?: string; password?: string }, window: '' };
  page: Pick<PageState, 'state' | 'since'> | null = { state: 'shown', since: 'a' };
  isWell = true;
  isInCall = false;
  channelText = '[]';
  /** The login of each reading of the channel. */
  readonly loginsAsked: unknown[] = [];
  /** Free bytes of the disk. */
  free = 1e12;
  random = 0.5;
  boot = 'first boot';
  service!: UpdateService;
  #life: object = {};

  constructor(driver: D = new FakeVersions() as unknown as D) {
    this.driver = driver;
  }

  /** Starts the service, as a version; an earlier one ends first. @param isReady whether its start ends */
  async start(installed = '1.0.0', { isReady = true } = {}): Promise<UpdateService> {
    await this.service?.stop();
    return this.startAfterCrash(installed, isReady);
  }

  /** The same without an orderly end of the one before. */
  async startAfterCrash(installed: string, isReady = true): Promise<UpdateService> {
    // The one before does nothing any more.
    this.#life = {};
    const life = this.#life;
    const clock: WallClock = {
      now: () => this.clock.now(),
      wall: () => this.clock.wall(),
      after: (milliseconds, run) => this.clock.after(milliseconds, () => this.#life === life && run()),
    };
    const options: UpdateOptions = {
      driver: this.driver,
      installed,
      dataDir: this.dataDir,
      space: new DiskSpace(async () => this.free),
      settings: () => this.settings,
      closedPorts: () => [],
      authorities: () => [],
      readChannel: async (address, loginOf) => {
        this.loginsAsked.push(loginOf(new URL(address).origin));
        return Buffer.from(this.channelText);
      },
      panel: { page: () => this.page, isWell: () => this.isWell },
      isInCall: async () => this.isInCall,
      events: { emit: (_name, payload) => this.events.push(payload as EventPayload<'update'>) },
      note: (command, params) => this.noted.push({ [command]: params }),
      tell: (version, seconds) => this.told.push([version, seconds]),
      clock,
      random: () => this.random,
      boot: () => this.boot,
      log: silentLogger(),
    };
    this.service = new UpdateService(options);
    await this.service.start();
    if (isReady) this.service.ready();
    return this.service;
  }

  /** An upload of these bytes. */
  install(choices: { older?: boolean; restart?: boolean } = {}, bytes = Buffer.from('bundle')) {
    const bundle = { size: bytes.length, bytes: pieces(bytes) };
    const call = { signal: new AbortController().signal };
    return this.service.install({ older: false, restart: true, bundle, ...choices }, call);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop();
  }
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const length = Math.max(4, Math.ceil(bytes.length / 8));
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}
