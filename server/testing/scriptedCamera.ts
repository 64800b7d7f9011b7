import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { letPass } from './waiting.ts';

/** A request that the camera received. */
export interface ScriptedRequest {
  readonly method: string;
  readonly uri: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** Counts the connections, from 0. */
  readonly connection: number;
}

/** What to answer: an RTSP answer, raw bytes as they are, or nothing at all. */
export type ScriptedReply =
  | { readonly status: number; readonly headers?: readonly string[]; readonly body?: string }
  | Buffer
  | undefined;

/** A camera whose answers are all written by the test, for behaviour that real servers do not show. */
export class ScriptedCamera {
  readonly requests: ScriptedRequest[] = [];
  /** Takes the interleaved frames that the camera gets. */
  onFrame: (channel: number, packet: Buffer) => void = () => {};
  readonly #reply: (request: ScriptedRequest) => ScriptedReply;
  readonly #server: Server;
  readonly #sockets: Socket[] = [];

  readonly #scheme: string;

  /** @param tls key and certificate (PEM) of a camera that speaks RTSP over TLS. */
  constructor(reply: (request: ScriptedRequest) => ScriptedReply, tls?: TlsOptions) {
    this.#reply = reply;
    this.#scheme = tls === undefined ? 'rtsp' : 'rtsps';
    const serve = (socket: Socket): void => this.#serve(socket);
    this.#server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  }

  /** @param port 0 for any free one; a fixed one for a camera that comes back. */
  async start(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    this.hangUp();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = '/stream', login = ''): string {
    return `${this.#scheme}://${login === '' ? '' : `${login}@`}127.0.0.1:${this.port}${path}`;
  }

  /** Connections so far, and those still open. */
  get connections(): { all: number; open: number } {
    return {
      all: this.#sockets.length,
      open: this.#sockets.filter((socket) => !socket.closed && !socket.destroyed).length,
    };
  }

  methods(): string[] {
    return this.requests.map((request) => request.method);
  }

  /** Sends bytes to everyone who is connected. */
  send(data: Buffer | string): void {
    for (const socket of this.#sockets) if (socket.writable) socket.write(data);
  }

  /** Sends an interleaved frame. */
  sendFrame(channel: number, packet: Buffer): void {
    this.send(interleaved(channel, packet));
  }

  /** Sends bytes in pieces of one, so that nothing comes in one chunk. */
  async sendSplit(data: Buffer): Promise<void> {
    for (const byte of data) {
      this.send(Buffer.from([byte]));
      await letPass(1);
    }
  }

  /** Cuts all connections. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket): void {
    const connection = this.#sockets.push(socket) - 1;
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      text = this.#takeFrames(text + chunk.toString('latin1'));
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        this.#answer(socket, connection, text.slice(0, end));
        text = this.#takeFrames(text.slice(end + 4));
      }
    });
  }

  /** @returns what comes after the frames at its beginning */
  #takeFrames(text: string): string {
    if (!text.startsWith('$')) return text;
    const bytes = Buffer.from(text, 'latin1');
    if (bytes.length < 4 || bytes.length < 4 + bytes.readUInt16BE(2)) return text;
    const end = 4 + bytes.readUInt16BE(2);
    this.onFrame(bytes[1]!, bytes.subarray(4, end));
    return this.#takeFrames(text.slice(end));
  }

  #answer(socket: Socket, connection: number, head: string): void {
    const [start = '', ...lines] = head.split('\r\n');
    // The panel also answers our own requests; its answers are recorded like requests.
    const [method = '', uri = ''] = start.split(' ');
    const headers = new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const request = { method, uri, headers, connection };
    this.requests.push(request);
    const reply = this.#reply(request);
    if (reply === undefined || !socket.writable) return;
    if (Buffer.isBuffer(reply)) socket.write(reply);
    else {
      const body = reply.body ?? '';
      const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
      const answer = [`RTSP/1.0 ${reply.status} Reason`, `CSeq: ${headers.get('cseq')}`, ...length];
      socket.write(`${[...answer, ...(reply.headers ?? [])].join('\r\n')}\r\n\r\n${body}`);
    }
  }
}

/** `$`, channel, length, packet (RFC 2326 section 10.12). */
export function interleaved(channel: number, packet: Buffer): Buffer {
  const head = Buffer.from([0x24, channel, 0, 0]);
  head.writeUInt16BE(packet.length, 2);
  return Buffer.concat([head, packet]);
}

/** A real SPS and PPS: constrained baseline, 640 x 360. */
export const SPS = Buffer.from('6742c01ed900a02ff97011000003000100000300320f162e48', 'hex');
export const PPS = Buffer.from('68cb83cb20', 'hex');

/** Session description of an H.264 camera, parameter sets included. */
export const H264_SDP = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=camera',
  't=0 0',
  'a=control:*',
  'm=video 0 RTP/AVP 96',
  'a=rtpmap:96 H264/90000',
  `a=fmtp:96 packetization-mode=1;profile-level-id=42c01e;sprop-parameter-sets=${SPS.toString('base64')},${PPS.toString('base64')}`,
  'a=control:trackID=0',
  '',
].join('\r\n');

/** How a well-behaved camera answers; tests replace the answers they are about. */
export function usualReply(request: ScriptedRequest, sdp: string = H264_SDP): ScriptedReply {
  switch (request.method) {
    case 'OPTIONS':
      return {
        status: 200,
        headers: ['Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER'],
      };
    case 'DESCRIBE':
      return { status: 200, headers: ['Content-Type: application/sdp'], body: sdp };
    case 'SETUP':
      return {
        status: 200,
        headers: ['Session: 12345678;timeout=60', `Transport: ${request.headers.get('transport')}`],
      };
    default:
      // An answer to a request of our own gets none.
      return request.method.startsWith('RTSP/') ? undefined : { status: 200, headers: ['Session: 12345678'] };
  }
}

/** An RTP packet of payload type 96. */
export function rtpPacket(
  sequence: number,
  timestamp: number,
  marker: boolean,
  payload: Buffer,
  payloadType = 96,
): Buffer {
  const head = Buffer.alloc(12);
  head[0] = 0x80;
  head[1] = (marker ? 0x80 : 0) | payloadType;
  head.writeUInt16BE(sequence & 0xffff, 2);
  head.writeUInt32BE(timestamp >>> 0, 4);
  head.writeUInt32BE(0x11223344, 8);
  return Buffer.concat([head, payload]);
}

/** First slice of an IDR picture, filled up to a length. */
export const idrSlice = (length = 40): Buffer =>
  Buffer.concat([Buffer.from([0x65, 0x88]), Buffer.alloc(length - 2, 7)]);
/** First slice of a picture that needs those before it. */
export const deltaSlice = (length = 30): Buffer =>
  Buffer.concat([Buffer.from([0x41, 0x9a]), Buffer.alloc(length - 2, 9)]);

/** The pictures of a scripted camera: RTP on channel 0, by default one packet per NAL unit. */
export class ScriptedVideo {
  readonly #camera: ScriptedCamera;
  #sequence = 65_500;
  #timestamp = 0xfffff000;
  #timer: NodeJS.Timeout | undefined;

  constructor(camera: ScriptedCamera) {
    this.#camera = camera;
  }

  /** Sends one picture. @param nals its NAL units; by default a key frame without parameter sets. */
  sendPicture(nals: readonly Buffer[] = [idrSlice()]): void {
    for (const [index, nal] of nals.entries()) {
      const marker = index === nals.length - 1;
      this.#camera.sendFrame(0, rtpPacket(this.#sequence++, this.#timestamp, marker, nal));
    }
    this.#timestamp += 3_600;
  }

  /** Continues with other numbers and timestamps, like a restarted camera. */
  restart(): void {
    this.#sequence = 7;
    this.#timestamp = 0x40000000;
  }

  /** Lets time pass on the camera's clock. */
  skip(ticks: number): void {
    this.#timestamp += ticks;
  }

  /** Sends a key frame, then twelve other pictures, and so on, 50 pictures a second. */
  start(): void {
    let count = 0;
    this.#timer = setInterval(() => this.sendPicture([count++ % 13 === 0 ? idrSlice() : deltaSlice()]), 20);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
