import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { askKiosk, checkAnswer, doJob, nextAnswer } from '../../../platform/kioskJobs.ts';
import type { Application } from './find.ts';
import { Flatpak } from './flatpak.ts';
import type { Launcher } from './launch.ts';
import type { UserFiles } from './userFiles.ts';

/** Work on a session's programs and files that needs the rights of its user. */
export type Launching = Pick<Launcher, 'start' | 'launch' | 'stop'>;
export type HomeFiles = Pick<UserFiles, 'copy' | 'writeText' | 'remove'>;
export type Flatpaks = Pick<Flatpak, 'install' | 'uninstall'>;

/** Starts programs through the starter of the kiosk. Each has its own unit, and a connection while it runs. */
export class StarterLauncher implements Launching {
  readonly #starter: string;
  readonly #running = new Set<Socket>();

  constructor(starter: string) {
    this.#starter = starter;
  }

  start(): void {}

  async launch({ id }: Application, onEnded: () => void): Promise<void> {
    const { answer, socket } = await askKiosk(this.#starter, { job: 'launch', packageName: id });
    try {
      checkAnswer(answer);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    this.#running.add(socket);
    socket.on('error', () => undefined).once('end', () => socket.destroy());
    socket.once('close', () => {
      if (this.#running.delete(socket)) onEnded();
    });
    socket.resume();
  }

  /** The starter ends everything that belongs to this connection. */
  async stop(): Promise<void> {
    const sockets = [...this.#running];
    this.#running.clear();
    for (const socket of sockets) socket.destroy();
  }
}

/** Changes the home of the kiosk's user through the starter. */
export class StarterFiles implements HomeFiles {
  readonly #starter: string;

  constructor(starter: string) {
    this.#starter = starter;
  }

  async copy(source: string, target: string): Promise<void> {
    const file = await open(source, 'r');
    try {
      const { size } = await file.stat();
      const { answer, socket } = await askKiosk(this.#starter, { job: 'write', path: target, size });
      try {
        checkAnswer(answer);
        const written = nextAnswer(socket);
        // A starter that cannot write closes the connection and says why.
        await pipeline(file.createReadStream({ autoClose: false }), socket, { end: true }).catch(
          () => undefined,
        );
        checkAnswer(await written);
      } finally {
        socket.destroy();
      }
    } finally {
      await file.close();
    }
  }

  /** The entry of an AppImage; the starter itself writes its text. */
  async writeText(_text: string, target: string): Promise<void> {
    checkAnswer(await doJob(this.#starter, { job: 'entry', name: basename(target, '.desktop') }));
  }

  async remove(path: string): Promise<void> {
    checkAnswer(await doJob(this.#starter, { job: 'remove', path }));
  }
}

/** Flatpaks of the kiosk's user through the starter; those of the system without it. */
export class StarterFlatpak implements Flatpaks {
  readonly #starter: string;
  readonly #system: Flatpak;

  constructor(starter: string, session: NodeJS.ProcessEnv) {
    this.#starter = starter;
    this.#system = new Flatpak(session, undefined);
  }

  /** The bundle is already in its place in the home. */
  async install(): Promise<void> {
    checkAnswer(await doJob(this.#starter, { job: 'flatpak-install' }));
  }

  async uninstall(id: string, installation: 'system' | 'user'): Promise<void> {
    if (installation === 'system') return this.#system.uninstall(id, installation);
    checkAnswer(await doJob(this.#starter, { job: 'flatpak-uninstall', id }));
  }
}
