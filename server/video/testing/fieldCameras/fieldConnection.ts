import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Clock } from '../../../platform/clock.ts';
import { interleaved } from '../../simulatedCamera/rtp.ts';
import { describeClip } from './descriptions.ts';
import type { Departures } from './fieldCase.ts';
import type { FieldLogin } from './fieldLogin.ts';
import { type FieldClip, FieldVideo, JUMP_AT, PICTURE_MS } from './fieldVideo.ts';

const METHODS = 'OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER';
/** Time without a receiver report after which a camera that wants them ends the connection. */
const REPORT_LIMIT_MS = 10_000;
/** Every 25th of 50 pictures has something strange behind it. */
const STRANGE_EVERY = 50;
const RECEIVER_REPORTS = new Set([200, 201]);

/** What all connections of a field camera share. */
export interface FieldWorld {
  readonly departs: Departures;
  readonly clip: FieldClip;
  readonly clock: Clock;
  readonly login: FieldLogin | undefined;
  /** Notes what happened, for the judgement. */
  note(what: 'play' | 'receiverReport' | 'backChannel'): void;
}

interface FieldRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
}

/** One client of a field camera. */
export class FieldConnection {
  readonly #socket: Socket;
  readonly #world: FieldWorld;
  readonly #departs: Departures;
  readonly #video: FieldVideo;
  #pending: Buffer = Buffer.alloc(0);
  #hasSound = false;
  #isPlaying = false;
  #playedAt = 0;
  #reportedAt = 0;
  #keptAliveAt = 0;
  #cancel = (): void => {};

  constructor(socket: Socket, world: FieldWorld) {
    this.#socket = socket;
    this.#world = world;
    this.#departs = world.departs;
    this.#video = new FieldVideo(world.clip, world.departs);
  }

  start(): void {
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    // An error is always followed by `close`.
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => this.stop());
  }

  stop(): void {
    this.#isPlaying = false;
    this.#cancel();
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    while (this.#takeOne());
  }

  #takeOne(): boolean {
    const bytes = this.#pending;
    if (bytes[0] === 0x24) {
      const end = bytes.length < 4 ? Number.POSITIVE_INFINITY : 4 + bytes.readUInt16BE(2);
      if (bytes.length < end) return false;
      this.#pending = bytes.subarray(end);
      this.#onRtcp(bytes.subarray(4, end));
      return true;
    }
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return false;
    this.#pending = bytes.subarray(end + 4);
    const [start = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
    const [method = '', url = ''] = start.split(' ');
    const pairs = lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
    // What answers a request of ours has no answer.
    if (!method.startsWith('RTSP/')) this.#answer({ method, url, headers: new Map(pairs) });
    return !this.#socket.destroyed;
  }

  #onRtcp(packet: Buffer): void {
    if (!RECEIVER_REPORTS.has(packet[1] ?? 0)) return;
    this.#reportedAt = this.#world.clock.now();
    this.#world.note('receiverReport');
    if (this.#departs.reports === 'refused') this.#write('RTSP/1.0 400 Bad Request\r\nCSeq: 0\r\n\r\n');
  }

  #answer(request: FieldRequest): void {
    const { method, headers } = request;
    const { login } = this.#departs;
    if (method === 'OPTIONS' && this.#refusesOptions()) return;
    const asked = this.#world.login?.challenge(method, headers.get('authorization'));
    if (asked !== undefined) {
      this.#reply(
        request,
        '401 Unauthorized',
        login?.closes === 'named' ? [...asked, 'Connection: close'] : asked,
      );
      if (login?.closes !== undefined) this.#socket.end();
      return;
    }
    switch (method) {
      case 'OPTIONS':
      case 'GET_PARAMETER':
      case 'SET_PARAMETER':
        this.#keepAlive(request);
        return;
      case 'DESCRIBE':
        this.#describe(request);
        return;
      case 'SETUP':
        this.#setUp(request);
        return;
      case 'PLAY':
        this.#play(request);
        return;
      case 'TEARDOWN':
        this.#reply(request, '200 OK', [this.#session()]);
        this.#socket.end();
        return;
      default:
        this.#reply(request, '405 Method Not Allowed');
    }
  }

  /** @returns whether OPTIONS gets no usual answer */
  #refusesOptions(): boolean {
    const { options } = this.#departs;
    if (this.#isPlaying || (options !== 'silent' && options !== 'closes')) return false;
    if (options === 'closes') this.#socket.end();
    return true;
  }

  #keepAlive(request: FieldRequest): void {
    const { keepAlive, options, methods = METHODS } = this.#departs;
    if (this.#isPlaying && keepAlive?.diesOf === request.method) {
      this.#socket.end();
      return;
    }
    if (keepAlive?.needs === undefined || keepAlive.needs === request.method)
      this.#keptAliveAt = this.#world.clock.now();
    if (this.#isPlaying && keepAlive?.isSilent) return;
    if (options === 'refused' && request.method === 'OPTIONS')
      this.#reply(request, '551 Option not supported');
    else this.#reply(request, '200 OK', [`${options === 'allow' ? 'Allow' : 'Public'}: ${methods}`]);
  }

  #describe(request: FieldRequest): void {
    const { base = 'rtsp://{at}/live/', control = 'track0', redirects } = this.#departs;
    const { description = 'plain', lineEnd = '\r\n', openEnd, lengthError = 0 } = this.#departs;
    if (redirects === 'endlessly' || (redirects === 'once' && !request.url.endsWith('/moved'))) {
      this.#reply(request, '302 Moved Temporarily', [`Location: rtsp://${this.#at}/moved`]);
      return;
    }
    const [first] = this.#world.clip;
    const { sps, pps } = first!;
    const text = describeClip(
      description,
      { sps, pps, frames: [] },
      control.replaceAll('{at}', this.#at),
      lineEnd,
    );
    const body = openEnd ? text.slice(0, -lineEnd.length) : text;
    const headers = [
      ...(base === null ? [] : [`Content-Base: ${base.replaceAll('{at}', this.#at)}`]),
      'Content-Type: application/sdp',
      `Content-Length: ${Buffer.byteLength(body) + lengthError}`,
    ];
    this.#reply(request, '200 OK', headers, body);
  }

  #setUp(request: FieldRequest): void {
    const { setupAddress, channels, transport, secondSession, soundStatus, videoStatus } = this.#departs;
    const isVideo = !/track[12]$/.test(request.url);
    if (request.url.endsWith('track2')) {
      this.#world.note('backChannel');
      this.#reply(request, '404 Not Found');
      return;
    }
    const isElsewhere =
      isVideo && setupAddress !== undefined && request.url !== setupAddress.replaceAll('{at}', this.#at);
    const status = isVideo ? videoStatus : soundStatus;
    if (isElsewhere || status !== undefined) {
      this.#reply(request, `${isElsewhere ? 404 : status} Refused`);
      return;
    }
    if (!isVideo) this.#hasSound = true;
    const [rtp, rtcp] = this.#channelsOf(isVideo);
    const numbers = channels === 'unnamed' ? '' : `;interleaved=${rtp}-${rtcp}`;
    const ssrc = transport === 'ssrcBehindSpace' ? ';ssrc= d6d6627' : ';ssrc=0';
    const kind = transport === 'withoutTcp' ? 'RTP/AVP' : 'RTP/AVP/TCP';
    const session = this.#session(secondSession && !isVideo ? 'F2' : 'F1');
    this.#reply(request, '200 OK', [`Transport: ${kind};unicast${numbers}${ssrc}`, session]);
  }

  #channelsOf(isVideo: boolean): [number, number] {
    const { channels } = this.#departs;
    const first = (channels === 'others' ? 8 : 0) + (isVideo || channels === 'same' ? 0 : 2);
    return [first, first + 1];
  }

  #play(request: FieldRequest): void {
    const { blankHeader, earlyMedia } = this.#departs;
    if (earlyMedia) this.#sendPicture();
    const blank = blankHeader ? [' '] : [];
    this.#reply(request, '200 OK', [this.#session(), ...blank, 'RTP-Info: url=x;seq=0;rtptime=0']);
    if (this.#isPlaying) return;
    this.#world.note('play');
    this.#isPlaying = true;
    this.#playedAt = this.#world.clock.now();
    this.#reportedAt = this.#playedAt;
    this.#keptAliveAt = this.#playedAt;
    this.#sendDue();
  }

  #sendDue(): void {
    const { clock } = this.#world;
    const now = clock.now();
    const { reports, keepAlive } = this.#departs;
    const isUnheard = reports === 'wanted' && now - this.#reportedAt > REPORT_LIMIT_MS;
    if (isUnheard || now - this.#keptAliveAt > (keepAlive?.withinMs ?? Number.POSITIVE_INFINITY)) {
      this.#socket.end();
      this.#isPlaying = false;
    }
    while (this.#isPlaying && this.#dueAt <= now) this.#sendPicture();
    if (this.#isPlaying) this.#cancel = clock.after(this.#dueAt - now, () => this.#sendDue());
  }

  /** When the next picture is sent. */
  get #dueAt(): number {
    const { stallMs = 0 } = this.#departs;
    const stall = this.#video.sent === JUMP_AT ? stallMs : 0;
    return this.#playedAt + this.#video.sent * PICTURE_MS + stall;
  }

  #sendPicture(): void {
    const [channel] = this.#channelsOf(true);
    const number = this.#video.sent;
    this.#socket.cork();
    for (const packet of this.#video.nextPicture()) this.#write(interleaved(channel, packet));
    if (this.#hasSound && number % 5 === 0)
      this.#write(interleaved(this.#channelsOf(false)[0], this.#video.nextSound()));
    if (number % STRANGE_EVERY === STRANGE_EVERY / 2) this.#sendStrange();
    this.#socket.uncork();
  }

  #sendStrange(): void {
    switch (this.#departs.between) {
      case 'noise':
        // Bytes of Canon's VB-H47, and random ones, which may look like the beginning of a frame.
        this.#write(Buffer.concat([Buffer.from('9a03f17720', 'hex'), randomBytes(2)]));
        break;
      case 'otherChannel':
        this.#write(interleaved(6, Buffer.from('80600001000000010000000941', 'hex')));
        break;
      case 'request':
        this.#write(`OPTIONS rtsp://${this.#at}/ RTSP/1.0\r\nCSeq: 7\r\n\r\n`);
        break;
      case 'emptyLine':
        this.#write('\r\n');
        break;
      default:
    }
  }

  get #at(): string {
    return `127.0.0.1:${this.#socket.localPort}`;
  }

  #session(id = 'F1'): string {
    const { timeout = 60 } = this.#departs;
    return `Session: ${id};timeout=${timeout}`;
  }

  #reply(request: FieldRequest, status: string, headers: readonly string[] = [], body = ''): void {
    const { lineEnd = '\r\n', headerNames } = this.#departs;
    const all = [`CSeq: ${request.headers.get('cseq')}`, ...headers];
    const named =
      headerNames === 'lowerCase'
        ? all.map((line) => line.replace(/^[\w-]+/, (it) => it.toLowerCase()))
        : all;
    this.#write(`${[`RTSP/1.0 ${status}`, ...named].join(lineEnd)}${lineEnd}${lineEnd}${body}`);
  }

  #write(data: Buffer | string): void {
    if (this.#socket.writable) this.#socket.write(data);
  }
}
