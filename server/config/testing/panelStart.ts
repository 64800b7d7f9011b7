import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { type LoadedSettings, loadSettings } from '../loadSettings.ts';
import { countStart, StartProof } from '../proof/startProof.ts';
import { mendSettings } from '../proof/starts.ts';
import { UndoneSettings } from '../proof/takenBack.ts';
import type { Settings } from '../settings.ts';
import { SettingsStore } from '../settingsStore.ts';

/** A start of the panel, as the program makes it, up to its settings. */
interface PanelStart {
  readonly loaded: LoadedSettings;
  readonly settings: Settings;
  readonly clock: FakeClock;
  readonly proof: StartProof;
  readonly undone: UndoneSettings;
  readonly store: SettingsStore;
  /** Times at which it wanted to be started again. */
  readonly restarts: readonly number[];
}

/** A data folder with its starts. */
export class PanelFolder {
  readonly dataDir = temporaryFolder('starts');

  path(name = 'settings.json'): string {
    return join(this.dataDir, name);
  }

  /** Writes settings.json, as a tree or as text. */
  file(tree: unknown): void {
    writeFileSync(this.path(), typeof tree === 'string' ? tree : JSON.stringify(tree));
  }

  onDisk(name?: string): unknown {
    return JSON.parse(readFileSync(this.path(name), 'utf8'));
  }

  start(environment: NodeJS.ProcessEnv = {}): PanelStart {
    mendSettings(this.dataDir);
    const loaded = loadSettings(['--dataDir', this.dataDir], environment, '1.0.0');
    countStart(loaded);
    const clock = new FakeClock();
    const log = silentLogger();
    const restarts: number[] = [];
    const undone = new UndoneSettings(loaded.undone);
    const restart = () => restarts.push(clock.now());
    const proof = new StartProof({ loaded, undone, clock, log, restart });
    const store = new SettingsStore(loaded, log);
    proof.follow(store.now);
    store.onChange((keys) => undone.forget([...keys, 'settings.json']));
    store.onLive(() => proof.changed());
    return { loaded, settings: loaded.settings, clock, proof, undone, store, restarts };
  }

  /** A start that is ready and shows a picture. */
  async works(environment?: NodeJS.ProcessEnv): Promise<PanelStart> {
    const panel = this.start(environment);
    panel.proof.ready(true);
    panel.proof.pageIs('shown');
    await panel.proof.stop();
    return panel;
  }
}

/** The settings that are not followed. */
export function named({ undone }: Pick<PanelStart, 'undone'>): string[] {
  return undone.list().map(({ setting }) => setting);
}
