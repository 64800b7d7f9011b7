import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSettings } from '../../config/loadSettings.ts';
import { SettingsBackup, type SettingsPlan } from '../../config/settingsBackup.ts';
import { SettingsStore } from '../../config/settingsStore.ts';
import type { Scope } from '../../contract/access.ts';
import type { Media } from '../../contract/command.ts';
import { pinRecord } from '../../kiosk/settingsPage/contract.ts';
import { finishPending } from '../../platform/files/dataFolder.ts';
import { silentLogger } from '../../platform/log.ts';
import { tokensKind } from '../access/tokens.ts';
import type { BackedUpState } from '../backup/contents.ts';
import { BackupService } from '../backup/service.ts';
import { certificatesKind } from '../certificates/service.ts';
import { ledKind } from '../led/service.ts';
import { scheduleKind } from '../sleep/service.ts';
import { TestProjects, upload } from './testProjects.ts';

const VERSION = '1.2.0';

/** Some of each group; which there are on a panel is known at its start. */
const pinKind = {
  name: 'pin',
  schema: pinRecord,
  defaults: { hash: null, salt: '', wrong: 0, chosenAt: null },
};
const state: BackedUpState = {
  open: [ledKind, scheduleKind],
  owners: [certificatesKind],
  secret: [pinKind, tokensKind],
};

interface PanelOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly version?: string;
  readonly dataDir?: string;
}

/** A panel as far as backups go: a data folder with real settings and projects. */
export class BackupPanel implements AsyncDisposable {
  readonly test: TestProjects;
  readonly #options: PanelOptions;
  store!: SettingsStore;
  service!: BackupService<SettingsPlan>;

  private constructor(test: TestProjects, options: PanelOptions) {
    this.test = test;
    this.#options = options;
    this.#open();
  }

  static async make(options: PanelOptions = {}): Promise<BackupPanel> {
    const test = await TestProjects.make({}, options.dataDir);
    return new BackupPanel(test, options);
  }

  get dataDir(): string {
    return this.test.dataDir;
  }

  /** As a start after a crash or a restart. */
  async restart(): Promise<void> {
    finishPending(this.dataDir);
    await this.test.restart();
    this.#open();
    await this.service.start();
  }

  #open(): void {
    const { environment = {}, version = VERSION } = this.#options;
    const log = silentLogger();
    const { dataDir } = this;
    const loaded = loadSettings([], { FACEPLATE_DATA_DIR: dataDir, ...environment }, version);
    this.store = new SettingsStore(loaded, log);
    const settings = new SettingsBackup(loaded, this.store);
    this.service = new BackupService({ dataDir, version, state, settings, projects: this.test.service, log });
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(join(this.dataDir, name), text);
  }

  /** The text of a file of the data folder; undefined when it is not there. */
  read(name: string): Promise<string | undefined> {
    return readFile(join(this.dataDir, name), 'utf8').catch(() => undefined);
  }

  /** Everything in the data folder that a failed restore must leave alone. */
  async state(): Promise<unknown> {
    const names = ['settings.json', 'led.json', 'pin.json', 'tokens.json', 'projects/state.json', 'restore'];
    return [await Promise.all(names.map((name) => this.read(name))), await this.test.onDisk()];
  }

  async backup(wish: { passphrase?: string; projects?: boolean } = {}, isOwner = true): Promise<Buffer> {
    const signal = new AbortController().signal;
    const media: Media = await this.service.create(
      { projects: true, ...wish },
      { signal, isOwner, scopes: [] },
    );
    const chunks: Uint8Array[] = [];
    for await (const chunk of media.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  restore(zip: Uint8Array, passphrase?: string, isOwner = true, scopes: readonly Scope[] = []) {
    const signal = new AbortController().signal;
    return this.service.restore({ backup: upload(zip), passphrase }, { signal, isOwner, scopes });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop();
    await this.test[Symbol.asyncDispose]();
  }
}
