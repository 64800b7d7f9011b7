import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '../../platform/log.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { ProjectsService } from '../projects/service.ts';
import type { ProjectScreen } from '../projects/shownProject.ts';

/** The screen of a test: records its calls, in order. */
export class TestScreen implements ProjectScreen {
  readonly asked: string[] = [];
  isThere = true;

  async show(): Promise<void> {
    this.asked.push('show');
  }

  async clearCaches(id: string): Promise<void> {
    if (!this.isThere) throw new Error('no browser');
    this.asked.push(`clear ${id}`);
  }
}

/** For projects that have none. */
export const noJoins = { check: async () => {}, follow: async () => {} };

type Options = Partial<ConstructorParameters<typeof ProjectsService>[0]>;

/** A projects service over its own data folder. */
export class TestProjects implements AsyncDisposable {
  readonly screen = new TestScreen();
  readonly dataDir: string;
  service!: ProjectsService;

  private constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  /** @param dataDir a folder that is there; without it a new one */
  static async make(options: Options = {}, dataDir?: string): Promise<TestProjects> {
    const test = new TestProjects(dataDir ?? temporaryFolder('projects'));
    await test.restart(options);
    return test;
  }

  /** A new service over the same folder, as after a crash or a restart. */
  async restart(options: Options = {}): Promise<void> {
    await this.service?.stop();
    const { dataDir, screen } = this;
    this.service = new ProjectsService({ dataDir, screen, joins: noJoins, log: silentLogger(), ...options });
    await this.service.start();
  }

  install(name: string, archive: Uint8Array, signal = new AbortController().signal) {
    return this.service.install({ name, archive: upload(archive) }, { signal });
  }

  /** Every file and folder below `projects`, sorted. */
  async onDisk(): Promise<string[]> {
    const names = await readdir(join(this.dataDir, 'projects'), { recursive: true }).catch(() => []);
    return names.sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop();
  }
}

/** Bytes as an upload that arrives in pieces. */
export function upload(bytes: Uint8Array) {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
  }
  return { size: bytes.length, bytes: pieces() };
}
