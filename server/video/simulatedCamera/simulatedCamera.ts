import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { OpenConnections } from '../../platform/net/connections.ts';
import { CAMERA_PATH, CameraConnection, type CameraSource } from './cameraConnection.ts';
import { parseClip, systemClock } from './clip.ts';

/** Frame rate of demo.h264; build/pictures/makeDemoClip.sh makes the clip and sets it. */
const CLIP_FRAMES_PER_SECOND = 25;
/** Clients at one time; Faceplate itself is one, the others are people with a player. */
const MAX_CLIENTS = 64;

/**
 * The camera of the simulated board: an RTSP server on 127.0.0.1 that replays a bundled H.264 clip, so that video plays
 * without a camera. Speaks RTSP 1.0 with the media inside the connection (RFC 2326, 10.12), no UDP, no login. Costs
 * nothing while no client plays.
 */
export class SimulatedCamera {
  readonly #clipFile: URL | string;
  readonly #clock: Clock;
  readonly #connections = new Set<CameraConnection>();
  #started: Promise<string> | undefined;
  #server: Server | undefined;
  #url: string | null = null;

  /** @param options.clipFile an H.264 byte stream of 25 frames a second; default: the bundled one beside this module. */
  constructor(options: { clipFile?: URL | string; clock?: Clock } = {}) {
    this.#clipFile = options.clipFile ?? new URL('./demo.h264', import.meta.url);
    this.#clock = options.clock ?? systemClock;
  }

  /** Address of the stream; null while the camera is off. */
  get url(): string | null {
    return this.#url;
  }

  /** Clients that are connected now. */
  get clients(): number {
    return this.#connections.size;
  }

  /**
   * Listens on a free port of 127.0.0.1.
   * @returns the address of the stream.
   * @throws Error when the clip cannot be read.
   */
  start(): Promise<string> {
    this.#started ??= this.#listen();
    return this.#started;
  }

  /** Ends every connection and frees the port. */
  async stop(): Promise<void> {
    const started = this.#started;
    this.#started = undefined;
    await started?.catch(() => {});
    const server = this.#server;
    this.#server = undefined;
    this.#url = null;
    if (!server) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of this.#connections) connection.stop();
    await closed;
  }

  async #listen(): Promise<string> {
    const clip = parseClip(await readFile(this.#clipFile));
    const server = this.#serve({ clip, framesPerSecond: CLIP_FRAMES_PER_SECOND, clock: this.#clock });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.#url = `rtsp://127.0.0.1:${port}${CAMERA_PATH}`;
    return this.#url;
  }

  #serve(source: CameraSource): Server {
    const open = new OpenConnections({ most: MAX_CLIENTS });
    const server = createServer((socket) => {
      if (!open.take(socket)) return;
      const connection = new CameraConnection(socket, source);
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
      connection.start();
    });
    // Failing to accept a connection, such as without a descriptor, costs only that one.
    server.on('error', () => {});
    return server;
  }
}
