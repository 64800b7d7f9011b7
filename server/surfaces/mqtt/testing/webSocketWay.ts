import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** RFC 6455 section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const BINARY = 2;
const CLOSE = 8;

/** A way by WebSocket to a broker that listens on TCP alone, as a proxy of the house makes it. */
export class WebSocketWay {
  readonly #server = createServer();
  readonly #sockets = new Set<Duplex>();

  /** @param port of the broker, on 127.0.0.1 */
  static async open(port: number): Promise<WebSocketWay> {
    const way = new WebSocketWay();
    way.#server.on('upgrade', ({ headers }, socket: Duplex) => {
      const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${GUID}`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${headers['sec-websocket-protocol']}\r\n\r\n`,
      );
      way.#carry(socket, connect(port, '127.0.0.1'));
    });
    way.#server.listen(0, '127.0.0.1');
    await once(way.#server, 'listening');
    return way;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as { port: number }).port}/mqtt`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #carry(client: Duplex, broker: Socket): void {
    for (const socket of [client, broker]) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        broker.destroy();
      });
    }
    let bytes: Buffer = Buffer.alloc(0);
    client.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let frame = frameOf(bytes); frame !== undefined; frame = frameOf(bytes)) {
        bytes = bytes.subarray(frame.end);
        if (frame.opcode === CLOSE) client.destroy();
        else broker.write(frame.payload);
      }
    });
    broker.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += 0xffff) client.write(framed(chunk.subarray(at, at + 0xffff)));
    });
  }
}

/** The first frame of a client (RFC 6455 section 5.2), up to 64 KiB long. */
function frameOf(bytes: Buffer): { opcode: number; payload: Buffer; end: number } | undefined {
  if (bytes.length < 6) return undefined;
  const short = bytes[1]! & 0x7f;
  const maskAt = short === 126 ? 4 : 2;
  const length = short === 126 ? bytes.readUInt16BE(2) : short;
  const end = maskAt + 4 + length;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(maskAt, maskAt + 4);
  const payload = Buffer.from(bytes.subarray(maskAt + 4, end)).map((byte, at) => byte ^ mask[at % 4]!);
  return { opcode: bytes[0]! & 0x0f, payload: Buffer.from(payload), end };
}

function framed(payload: Buffer): Buffer {
  const header = Buffer.from([0x80 | BINARY, 126, 0, 0]);
  header.writeUInt16BE(payload.length, 2);
  if (payload.length < 126) return Buffer.concat([Buffer.from([0x80 | BINARY, payload.length]), payload]);
  return Buffer.concat([header, payload]);
}
