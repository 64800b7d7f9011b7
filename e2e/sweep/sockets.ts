import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOPBACK = '127.0.0.1';

/** A TCP connection to the service that knows whether it was closed. */
export interface Peer {
  readonly socket: Socket;
  isClosed: boolean;
}

interface From {
  /** Address of loopback to come from: all but 127.0.0.1 are strangers. */
  readonly localAddress?: string;
  /** Never ends its side. */
  readonly allowHalfOpen?: boolean;
}

/** Connects. Also resolves when the connection is closed at once; never rejects. */
export async function open(port: number, from: From = {}): Promise<Peer> {
  const socket = connect({ port, host: LOOPBACK, ...from });
  const peer = { socket, isClosed: false };
  socket.on('error', () => {});
  socket.once('close', () => {
    peer.isClosed = true;
  });
  await Promise.race([once(socket, 'connect').catch(() => {}), once(socket, 'close').catch(() => {})]);
  return peer;
}

/** Writes as fast as the other end reads, and reads nothing, until it is closed or the time is over. @returns bytes sent */
export async function pour(peer: Peer, chunk: Buffer | string, milliseconds: number): Promise<number> {
  const { socket } = peer;
  socket.pause();
  for (const end = performance.now() + milliseconds; performance.now() < end && !peer.isClosed; ) {
    if (socket.writableLength < 2 ** 20) socket.write(chunk);
    // Lets the close event and the calls of healthz run.
    await (socket.writableLength < 2 ** 20 ? new Promise(setImmediate) : sleep(5));
  }
  return socket.bytesWritten;
}

/** Sends a request unchanged. @returns the status of the first answer; 0 if there was none */
export async function statusOf(port: number, request: string, from: From = {}): Promise<number> {
  const { socket } = await open(port, from);
  socket.write(request);
  const answer = await text(socket).catch(() => '');
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);
}

/** A camera that answers requests as usual, and does what the test says after PLAY. */
export class FloodingCamera {
  readonly #server: Server;
  readonly sockets: Peer[] = [];

  /** @param onPlay given the connection after the answer to PLAY; what comes back is no longer read */
  constructor(sdp: string, onPlay: (peer: Peer) => void) {
    this.#server = createServer((socket) => {
      const peer = { socket, isClosed: false };
      this.sockets.push(peer);
      socket.setNoDelay(true).on('error', () => {});
      socket.once('close', () => {
        peer.isClosed = true;
      });
      socket.on('data', (data) => {
        for (const [, method, cseq] of data
          .toString()
          .matchAll(/^([A-Z]+) rtsp.*\r\n(?:.+\r\n)*?CSeq: (\d+)/gm)) {
          const transport = /^Transport: (.*)$/m.exec(data.toString())?.[1]?.trim();
          const fields = ['Session: 12345678', ...(transport ? [`Transport: ${transport}`] : [])];
          const body = method === 'DESCRIBE' ? sdp : '';
          if (body !== '') fields.push('Content-Type: application/sdp', `Content-Length: ${body.length}`);
          socket.write(`RTSP/1.0 200 OK\r\nCSeq: ${cseq}\r\n${fields.join('\r\n')}\r\n\r\n${body}`);
          if (method === 'PLAY') {
            socket.removeAllListeners('data').pause();
            onPlay(peer);
          }
        }
      });
    });
  }

  async start(): Promise<string> {
    this.#server.listen(0, LOOPBACK);
    await once(this.#server, 'listening');
    return `rtsp://${LOOPBACK}:${(this.#server.address() as AddressInfo).port}/flood`;
  }

  async stop(): Promise<void> {
    for (const { socket } of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
