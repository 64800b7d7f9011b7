import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Clip } from '../../../server/video/simulatedCamera/clip.ts';
import { interleaved, RtpSender, VIDEO_CLOCK_HZ } from '../../../server/video/simulatedCamera/rtp.ts';
import { type RtspRequest, RtspRequestParser } from '../../../server/video/simulatedCamera/rtspRequest.ts';

/** A packet of PCMA, and every other time a picture. */
const TICK_MS = 20;
const PICTURE_MS = 2 * TICK_MS;
const SOUND_BYTES = 160;
const SOUND_TYPE = 8;
const SILENCE = 0xd5;
/** Bytes that may wait for a client before it gets no more. */
const BACKLOG_BYTES = 4_194_304;

/** One track of a client: where its packets go. */
type Way = (packet: Buffer) => void;

interface Client {
  readonly socket: Socket;
  readonly ways: (Way | undefined)[];
  isPlaying: boolean;
}

/** A camera with sound. Like a real one it encodes once: who joins gets the present picture, and all lose the same packets. */
export class LiveCamera {
  readonly #clip: Clip;
  readonly #host: string;
  readonly #loss: number;
  readonly #clients = new Set<Client>();
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #udp: UdpSocket[] = [];
  readonly #video = new RtpSender({ payloadType: 96, ssrc: 1, firstSequence: 0 });
  /** When each picture of the clip was last sent, in milliseconds since 1970. */
  readonly sentAt: number[] = [];
  #ticks = 0;
  #random = 1;

  /** @param loss share of its packets that get lost over UDP, 0 to 1 */
  constructor(clip: Clip, host: string, loss: number) {
    this.#clip = clip;
    this.#host = host;
    this.#loss = loss;
  }

  /** @returns its address */
  async start(): Promise<string> {
    this.#server.listen(0, this.#host);
    await once(this.#server, 'listening');
    for (let track = 0; track < 2; track++) {
      const socket = createSocket('udp4').unref();
      socket.on('error', () => {});
      socket.bind(0, this.#host);
      await once(socket, 'listening');
      this.#udp.push(socket);
    }
    const startedAt = performance.now();
    const next = (): void => {
      const passed = performance.now() - startedAt;
      for (; this.#ticks * TICK_MS <= passed; this.#ticks++) {
        this.#send(1, [this.#sound()]);
        if (this.#ticks % 2 === 0) this.#sendPicture();
      }
      setTimeout(next, this.#ticks * TICK_MS - passed);
    };
    next();
    return `rtsp://${this.#host}:${(this.#server.address() as AddressInfo).port}/live`;
  }

  #sendPicture(): void {
    const { sps, pps, frames } = this.#clip;
    const number = this.#ticks / 2;
    const { nals, isKey } = frames[number % frames.length]!;
    this.sentAt[number % frames.length] = performance.timeOrigin + performance.now();
    const timestamp = (number * PICTURE_MS * VIDEO_CLOCK_HZ) / 1_000;
    this.#send(0, this.#video.packetsOf(isKey ? [sps, pps, ...nals] : nals, timestamp));
  }

  #sound(): Buffer {
    const packet = Buffer.alloc(12 + SOUND_BYTES, SILENCE);
    const number = this.#ticks;
    packet.writeUInt16BE(0x8000 | SOUND_TYPE, 0);
    packet.writeUInt16BE(number & 0xffff, 2);
    packet.writeUInt32BE((number * SOUND_BYTES) >>> 0, 4);
    packet.writeUInt32BE(2, 8);
    return packet;
  }

  #send(track: number, packets: readonly Buffer[]): void {
    const left = this.#loss === 0 ? packets : packets.filter(() => !this.#loses());
    for (const { socket, ways, isPlaying } of this.#clients) {
      const way = ways[track];
      if (!isPlaying || way === undefined || socket.writableLength > BACKLOG_BYTES) continue;
      socket.cork();
      for (const packet of left) way(packet);
      socket.uncork();
    }
  }

  /** The same packets in each run (a generator of Park and Miller). */
  #loses(): boolean {
    this.#random = (this.#random * 48_271) % 0x7fffffff;
    return this.#random / 0x7fffffff < this.#loss;
  }

  #serve(socket: Socket): void {
    const client: Client = { socket, ways: [], isPlaying: false };
    const parser = new RtspRequestParser();
    this.#clients.add(client);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => this.#clients.delete(client));
    socket.on('data', (chunk) => {
      for (const request of parser.push(chunk)) this.#answer(client, request);
    });
  }

  #answer(client: Client, { method, uri, cseq, headers }: RtspRequest): void {
    const { socket } = client;
    const reply = (lines: readonly string[], body = '') => {
      const all = [`CSeq: ${cseq}`, 'Session: 1;timeout=60', ...lines];
      socket.write(`${['RTSP/1.0 200 OK', ...all].join('\r\n')}\r\n\r\n${body}`);
    };
    if (method === 'DESCRIBE') {
      const body = descriptionOf(this.#clip);
      reply(
        [`Content-Base: ${uri}/`, 'Content-Type: application/sdp', `Content-Length: ${body.length}`],
        body,
      );
    } else if (method === 'SETUP') {
      const track = uri.endsWith('1') ? 1 : 0;
      reply([`Transport: ${this.#setUp(client, track, headers.get('transport') ?? '')}`]);
    } else {
      reply(['Public: OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN']);
      if (method === 'PLAY') client.isPlaying = true;
      if (method === 'TEARDOWN') socket.end();
    }
  }

  /** @returns the transport that the client gets: what it asks for */
  #setUp({ socket, ways }: Client, track: number, asked: string): string {
    const [, port] = /client_port=(\d+)/.exec(asked) ?? [];
    if (port === undefined) {
      const channel = Number(/interleaved=(\d+)/.exec(asked)?.[1] ?? 2 * track);
      ways[track] = (packet) => socket.write(interleaved(channel, packet));
      return `RTP/AVP/TCP;unicast;interleaved=${channel}-${channel + 1}`;
    }
    const udp = this.#udp[track]!;
    const own = udp.address().port;
    const address = socket.remoteAddress!;
    ways[track] = (packet) => udp.send(packet, Number(port), address);
    return `RTP/AVP;unicast;client_port=${port}-${Number(port) + 1};server_port=${own}-${own + 1}`;
  }
}

function descriptionOf({ sps, pps }: Clip): string {
  const sets = `${sps.toString('base64')},${pps.toString('base64')}`;
  const format = `packetization-mode=1;profile-level-id=${sps.toString('hex', 1, 4)};sprop-parameter-sets=${sets}`;
  const head = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 0.0.0.0', 't=0 0'];
  const video = ['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000', `a=fmtp:96 ${format}`, 'a=control:track0'];
  const sound = [`m=audio 0 RTP/AVP ${SOUND_TYPE}`, 'a=rtpmap:8 PCMA/8000', 'a=control:track1'];
  return `${[...head, ...video, ...sound].join('\r\n')}\r\n`;
}
