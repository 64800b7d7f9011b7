import { StartProof } from './config/proof/startProof.ts';
import { UndoneSettings } from './config/proof/takenBack.ts';
import type { KioskHost } from './kiosk/host.ts';
import type { Parts } from './parts/index.ts';
import type { Core } from './parts/part.ts';
import type { ReplayService } from './parts/replay/service.ts';
import { systemClock } from './platform/clock.ts';
import { bootstrap } from './start/bootstrap.ts';
import { Lifecycle, type StartOptions } from './start/lifecycle.ts';

/**
 * The whole service. `start` runs from top to bottom, each step awaited; `stop` runs back up through everything that
 * was started.
 */
export class App {
  readonly #options: StartOptions;
  readonly #lifecycle: Lifecycle;
  /** Settings that were rolled back. */
  readonly #undone: UndoneSettings;
  /** Whether the settings of this start work. */
  readonly #proof: StartProof;
  #core: Core | undefined;
  #parts: Parts | undefined;
  #host: KioskHost | undefined;
  #replay: ReplayService | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: StartOptions) {
    const { settings, log, isWatched, restart } = options;
    this.#options = options;
    this.#lifecycle = new Lifecycle(log);
    this.#undone = new UndoneSettings(settings.undone);
    this.#proof = new StartProof({
      loaded: settings,
      undone: this.#undone,
      clock: systemClock,
      log,
      restart: isWatched ? () => restart('asked') : null,
    });
  }

  /** @throws the reason why the service cannot run; everything that was started is stopped again. */
  async start(): Promise<void> {
    this.#starting = this.#start();
    try {
      await this.#starting;
    } catch (error) {
      if (this.#stopping) return;
      // An address from a flag or the environment is no fault of the saved settings.
      if ((error as NodeJS.ErrnoException).syscall === 'listen') this.#proof.ended();
      else this.#proof.failed();
      await this.stop();
      throw error;
    }
  }

  /** False once only a restart of the service can bring the kiosk page back. */
  isWell(): boolean {
    return this.#core?.kiosk.isWell() ?? true;
  }

  /** Ends everything, also in the middle of a start. Calls in flight are answered or refused with SHUTTING_DOWN. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #start(): Promise<void> {
    const options = this.#options;
    const lifecycle = this.#lifecycle;
    const proof = this.#proof;
    const { replay } = options;
    const journal = replay && (await (await import('./start/replay.ts')).openReplay(lifecycle, replay.path));
    const early = await bootstrap(lifecycle, options, this.#undone);
    // Not earlier: the browser's program starts while this loads.
    const steps = await import('./start/steps.ts');
    const core = await steps.createCore(lifecycle, options, this.#undone, early);
    this.#core = core;
    proof.follow(core.settings);
    core.store.onLive(() => proof.changed());
    if (journal !== undefined) steps.assertDesk(core.board);
    const panel = await steps.parts.start(lifecycle.start, core);
    const parts = panel.services;
    this.#parts = parts;
    await core.kiosk.show(parts.projects.active);
    const surfaces = await steps.openSurfaces(lifecycle, options, core, early.http, panel);
    const window = await steps.createWindow(lifecycle, options, core, proof, early.browser, parts, surfaces);
    this.#host = window.host;
    await window.open();
    // Last: its first states include the page.
    await surfaces.openMqtt();
    parts.update.ready();
    parts.provisioning.ready();
    parts.sticks.ready();
    proof.ready(core.kiosk.hostKind !== 'none');
    const localUrl = `http://127.0.0.1:${early.http.port}`;
    options.print(`faceplate ready ${localUrl}`);
    if (options.isAtTerminal) options.print(steps.whereToGo(core, localUrl));
    if (journal === undefined) return;
    this.#replay = steps.createReplay(journal, options, surfaces.dispatch);
    await lifecycle.start(this.#replay);
  }

  async #stop(): Promise<void> {
    const lifecycle = this.#lifecycle;
    lifecycle.stopping();
    this.#proof.ended();
    // Before the page ends: the calls of the replay would fail.
    await this.#replay?.stop();
    // Remote parties of calls are notified first: a browser that is slow to end would use up the time.
    const goodbyes = this.#parts?.sip
      .stop()
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'intercom: could not stop'));
    // Then the outputs, which may move something: the rest takes seconds.
    const outputs = this.#parts?.gpio;
    await lifecycle.end(outputs);
    // The stop does not wait for a browser that is slow to start.
    await this.#host?.stop();
    await goodbyes;
    await this.#starting?.catch(() => {});
    await this.#proof.stop();
    await lifecycle.endAll(outputs);
  }
}
