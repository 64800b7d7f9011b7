import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer of the camera, header names in lower case. */
interface TestAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A minimal RTSP client for tests: it sends any text, even nonsense, and keeps every interleaved packet. */
export class RtspTestClient {
  readonly packets: { channel: number; data: Buffer }[] = [];
  readonly #socket: Socket;
  readonly #answers: TestAnswer[] = [];
  #pending = Buffer.alloc(0);
  #cseq = 0;
  #closed = false;
  #wake = Promise.withResolvers<void>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#pending = Buffer.concat([this.#pending, chunk]);
      while (this.#takeOne());
      this.#notify();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#notify();
    });
  }

  static async open(url: string): Promise<RtspTestClient> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    return new RtspTestClient(socket);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  async request(method: string, uri: string, headers: Record<string, string> = {}): Promise<TestAnswer> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return this.raw(`${method} ${uri} RTSP/1.0\r\nCSeq: ${++this.#cseq}\r\n${lines.join('')}\r\n`);
  }

  async raw(text: string): Promise<TestAnswer> {
    this.#socket.write(text, 'latin1');
    await this.until(() => this.#answers.length > 0);
    return this.#answers.shift()!;
  }

  /** Describes nothing, sets up the one track on channels 0 and 1, and plays. @returns the answer to PLAY. */
  async play(url: string): Promise<TestAnswer> {
    const setup = await this.request('SETUP', `${url}/trackID=0`, {
      Transport: 'RTP/AVP/TCP;unicast;interleaved=0-1',
    });
    assert.equal(setup.status, 200);
    const session = setup.headers.get('session')!.split(';')[0]!;
    const play = await this.request('PLAY', url, { Session: session });
    assert.equal(play.status, 200);
    return play;
  }

  /** Waits until the condition holds; it is checked whenever something has arrived. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      assert.ok(!this.#closed, 'the camera closed the connection');
      await this.#wake.promise;
    }
  }

  async untilClosed(): Promise<void> {
    while (!this.#closed) await this.#wake.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #notify(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  #takeOne(): boolean {
    const bytes = this.#pending;
    if (bytes[0] === 0x24) {
      const end = bytes.length < 4 ? Number.POSITIVE_INFINITY : 4 + bytes.readUInt16BE(2);
      if (bytes.length < end) return false;
      this.packets.push({ channel: bytes[1]!, data: Buffer.from(bytes.subarray(4, end)) });
      this.#pending = bytes.subarray(end);
      return true;
    }
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd < 0) return false;
    const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
    const headers = new Map(
      lines.map((line): [string, string] => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const end = headEnd + 4 + Number(headers.get('content-length') ?? 0);
    if (bytes.length < end) return false;
    const status = Number(/^RTSP\/1\.0 (\d{3}) /.exec(statusLine)?.[1]);
    this.#answers.push({ status, headers, body: bytes.toString('utf8', headEnd + 4, end) });
    this.#pending = bytes.subarray(end);
    return true;
  }
}
