import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Where the version stands in a CONNECT that is shorter than 128 bytes (MQTT 5 section 3.1.2.2). */
const VERSION_AT = 8;
/** First byte of a CONNECT; anything else is a look at what the port speaks. */
const CONNECT = 0x10;
/** CONNACK of 3.1.1: unacceptable protocol version. */
const REFUSAL = Buffer.from([0x20, 2, 0, 1]);

/** A broker of before MQTT 5: it refuses that as 3.1.1 says it, and carries the rest to a broker behind it. */
export class OldBroker {
  readonly #server = createServer();
  readonly #sockets = new Set<Socket>();
  /** What clients asked for. */
  readonly versions: number[] = [];

  /** @param behind the port of a broker on 127.0.0.1 @param isSilent it refuses by closing alone, as RabbitMQ 3.10 does */
  static async open(behind: number, isSilent = false): Promise<OldBroker> {
    const old = new OldBroker();
    old.#server.on('connection', (socket) => {
      old.#keep(socket);
      socket.once('data', (chunk) => {
        if (chunk[0] !== CONNECT) {
          socket.destroy();
          return;
        }
        const version = chunk[VERSION_AT] ?? 0;
        old.versions.push(version);
        if (version === 5) {
          if (!isSilent) socket.write(REFUSAL);
          socket.end();
          return;
        }
        const way = connect(behind, '127.0.0.1');
        old.#keep(way);
        way.on('close', () => socket.destroy());
        socket.on('close', () => way.destroy());
        way.write(chunk);
        socket.pipe(way).pipe(socket);
      });
    });
    old.#server.listen(0, '127.0.0.1');
    await once(old.#server, 'listening');
    return old;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** Ends all connections, as at a restart. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
