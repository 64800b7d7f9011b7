import { startEarly } from './start/early.ts';
import { Launch, type StartOptions, type Stoppable } from './start/launch.ts';

/**
 * The whole service. `start` runs from top to bottom, each step awaited; `stop` runs back up through everything that
 * was started.
 */
export class App {
  readonly #launch: Launch;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: StartOptions) {
    this.#launch = new Launch(options);
  }

  /** @throws the reason why the service cannot run; everything that was started is stopped again. */
  async start(): Promise<void> {
    this.#starting = this.#start();
    try {
      await this.#starting;
    } catch (error) {
      if (this.#stopping) return;
      // An address that a flag or the environment gives is no fault of the kept settings.
      if ((error as NodeJS.ErrnoException).syscall === 'listen') this.#launch.proof.ended();
      else this.#launch.proof.failed();
      await this.stop();
      throw error;
    }
  }

  /** False once only a restart of the service can bring the kiosk page back. */
  isWell(): boolean {
    return this.#launch.kiosk?.isWell() ?? true;
  }

  /** Ends everything, also in the middle of a start. Calls in flight are answered or refused with SHUTTING_DOWN. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #start(): Promise<void> {
    const launch = this.#launch;
    const journal =
      launch.options.replay &&
      (await import('./start/replay.ts').then((replay) => replay.openReplay(launch)));
    const early = await startEarly(launch);
    // Not before: the browser's program starts meanwhile.
    const later = await import('./start/later.ts');
    const platform = await later.startPlatform(launch, early);
    if (journal !== undefined) later.mustBeDesk(platform);
    const services = await later.startServices(launch, platform);
    const surfaces = await later.openSurfaces(launch, platform, services);
    await later.showKiosk(launch, platform, services, surfaces);
    // Last: its first states tell of the page too.
    await launch.up(surfaces.mqtt);
    services.update.ready();
    services.provisioning.ready();
    services.sticks.ready();
    launch.proof.ready(platform.kiosk.hostKind !== 'none');
    launch.options.print(`faceplate ready http://127.0.0.1:${platform.http.port}`);
    if (journal !== undefined) await later.startReplay(launch, journal, surfaces.dispatch);
  }

  async #stop(): Promise<void> {
    const launch = this.#launch;
    const { log } = launch.options;
    launch.isStopping = true;
    launch.proof.ended();
    // Before the page goes: it would go on to fail.
    await launch.replay?.stop();
    // Remote parties of calls are notified first: a browser that is slow to end would use up the time.
    const goodbyes = launch.sip
      ?.stop()
      .catch((error: unknown) => log.error({ err: error }, 'intercom: could not stop'));
    // Then whatever moves in the house: the rest takes seconds.
    await this.#end(launch.outputs);
    // The stop does not wait for a browser that is slow to start.
    await launch.host?.stop();
    await goodbyes;
    await this.#starting?.catch(() => {});
    await launch.proof.stop();
    for (const part of launch.started.reverse()) if (part !== launch.outputs) await this.#end(part);
  }

  async #end(part: Stoppable | undefined): Promise<void> {
    const { log } = this.#launch.options;
    await part?.stop().catch((error: unknown) => log.error({ err: error }, 'service: a part could not stop'));
  }
}
