import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { Departures } from './fieldCase.ts';
import { FieldConnection, type FieldWorld } from './fieldConnection.ts';
import { FieldLogin } from './fieldLogin.ts';
import type { FieldClips } from './fieldVideo.ts';

/** A camera of the field on 127.0.0.1: a small RTSP server that differs from a plain camera by its departures. */
export class FieldCamera {
  readonly #world: FieldWorld;
  readonly #server: Server;
  readonly #connections = new Set<FieldConnection>();
  #plays = 0;
  #receiverReports = 0;
  #backChannels = 0;

  constructor(departs: Departures, clips: FieldClips, clock: Clock = systemClock) {
    this.#world = {
      departs,
      clock,
      clip: clips[departs.clip ?? 'plain'],
      login: departs.login && new FieldLogin(departs.login, () => clock.now()),
      note: (what) => {
        if (what === 'play') this.#plays++;
        else if (what === 'receiverReport') this.#receiverReports++;
        else this.#backChannels++;
      },
    };
    this.#server = createServer((socket) => {
      const connection = new FieldConnection(socket, this.#world);
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
      connection.start();
    });
  }

  /** @returns its address, with the login that it wants */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    const { login } = this.#world;
    return `rtsp://${login === undefined ? '' : `${login.pasted}@`}127.0.0.1:${port}/live`;
  }

  async stop(): Promise<void> {
    for (const connection of this.#connections) connection.stop();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** How often its media was started. */
  get plays(): number {
    return this.#plays;
  }

  /** RTCP receiver reports that it got. */
  get receiverReports(): number {
    return this.#receiverReports;
  }

  /** How often somebody set up the track that takes sound. */
  get backChannels(): number {
    return this.#backChannels;
  }
}
