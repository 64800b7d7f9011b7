import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SimulatedCamera } from '../../../server/video/simulatedCamera/simulatedCamera.ts';
import { FULL_HD, makeClip } from './liveCameras.ts';

/** `$` begins a media packet in an RTSP connection (RFC 2326 section 10.12). */
const MEDIA = 0x24;
const AFTER_ANSWER = Buffer.from('\r\n\r\n$');

/** Sits between the service and a camera that begins with a key frame, and notes when that key frame passes. */
export class CameraRelay {
  readonly #server = createServer((socket) => this.#relay(socket));
  readonly #sockets = new Set<Socket>();
  readonly #target: URL;
  /** When the first media passed since this was last cleared, in milliseconds since 1970. */
  firstMediaAt: number | undefined;

  /** @param url of the camera. */
  constructor(url: string) {
    this.#target = new URL(url);
  }

  /** @returns the camera's address through the relay. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const url = new URL(this.#target);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #relay(viewer: Socket): void {
    const camera = connect(Number(this.#target.port), this.#target.hostname);
    for (const socket of [viewer, camera]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.once('close', () => {
        this.#sockets.delete(socket);
        viewer.destroy();
        camera.destroy();
      });
    }
    viewer.pipe(camera);
    camera.on('data', (chunk: Buffer) => {
      if (chunk[0] === MEDIA || chunk.includes(AFTER_ANSWER)) {
        this.firstMediaAt ??= performance.timeOrigin + performance.now();
      }
      viewer.write(chunk);
    });
  }
}

/** A 1080p camera of 4 Mbit/s behind a relay. */
export async function relayedCamera(): Promise<{
  readonly relay: CameraRelay;
  readonly url: string;
  /** Its address without the relay. */
  readonly direct: string;
  stop(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-bench-'));
  const clipFile = join(folder, 'clip.h264');
  await makeClip(clipFile, FULL_HD);
  const camera = new SimulatedCamera({ clipFile });
  const direct = await camera.start();
  const relay = new CameraRelay(direct);
  const stop = async () => {
    await relay.stop();
    await camera.stop();
    await rm(folder, { recursive: true });
  };
  return { relay, url: await relay.start(), direct, stop };
}
