import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** A network device that receives datagrams, on a free port of the loopback address. */
export class UdpPeer {
  readonly host = '127.0.0.1';
  readonly #received: Buffer[] = [];
  #socket: Socket | undefined;

  async start(): Promise<void> {
    const socket = createSocket('udp4');
    socket.on('message', (message) => this.#received.push(message));
    socket.bind(0, this.host);
    await once(socket, 'listening');
    this.#socket = socket;
  }

  get port(): number {
    if (this.#socket === undefined) throw new Error('The peer is not started.');
    return this.#socket.address().port;
  }

  /** The datagrams so far, oldest first. */
  get received(): readonly Buffer[] {
    return this.#received;
  }

  stop(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }
}
