import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { endSocket } from '../../platform/net/connections.ts';
import { type Clip, ClipPlayer } from './clip.ts';
import { interleaved, RtpSender, VIDEO_CLOCK_HZ } from './rtp.ts';
import { type RtspRequest, RtspRequestParser, RtspSyntaxError } from './rtspRequest.ts';

/** RTP payload type of the video, from the dynamic range (RFC 3551, 6). */
const VIDEO_PAYLOAD_TYPE = 96;

/** The one stream that the camera offers. */
export const CAMERA_PATH = '/demo';

const METHODS = 'OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN';
/** Idle time after which a connection is closed; the Session header names it, so that clients send something before. */
const IDLE_LIMIT_S = 60;
/** Bytes that may wait for a slow receiver before pictures are skipped. */
const SEND_BACKLOG_BYTES = 1_048_576;
const SENDER_REPORT_EVERY_MS = 5_000;

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  404: 'Not Found',
  413: 'Request Entity Too Large',
  454: 'Session Not Found',
  455: 'Method Not Valid in This State',
  461: 'Unsupported Transport',
  501: 'Not Implemented',
  505: 'RTSP Version Not Supported',
};

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Session {
  readonly id: string;
  readonly rtpChannel: number;
  readonly rtcpChannel: number;
  readonly sender: RtpSender;
  readonly firstTimestamp: number;
  readonly player: ClipPlayer;
  isPlaying: boolean;
  reportedAt: number;
}

/** What the simulated camera plays, and how fast. */
export interface CameraSource {
  readonly clip: Clip;
  readonly framesPerSecond: number;
  readonly clock: Clock;
}

/** One client of the simulated camera: answers its RTSP requests, and sends it the pictures inside the same connection. */
export class CameraConnection {
  readonly #socket: Socket;
  readonly #source: CameraSource;
  readonly #parser = new RtspRequestParser();
  #session: Session | undefined;

  constructor(socket: Socket, source: CameraSource) {
    this.#socket = socket;
    this.#source = source;
  }

  start(): void {
    const socket = this.#socket;
    socket.setNoDelay(true);
    socket.setTimeout(IDLE_LIMIT_S * 1000, () => socket.destroy());
    socket.on('data', (chunk) => this.#receive(chunk));
    // An error is always followed by `close`, which does the cleanup.
    socket.on('error', () => {});
    socket.on('close', () => this.#endSession());
  }

  stop(): void {
    this.#endSession();
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    try {
      for (const request of this.#parser.push(chunk)) this.#send(request.cseq, this.#answer(request));
    } catch (error) {
      if (!(error instanceof RtspSyntaxError)) throw error;
      this.#endSession();
      this.#socket.removeAllListeners('data');
      this.#send(undefined, { status: error.status, headers: { Connection: 'close' } });
      endSocket(this.#socket, undefined, this.#source.clock);
    }
  }

  #answer(request: RtspRequest): Answer {
    const path = pathOf(request.uri);
    if (path === undefined) return { status: 400 };
    const known = path === CAMERA_PATH || path === `${CAMERA_PATH}/${TRACK}`;
    switch (request.method) {
      case 'OPTIONS':
        return { status: 200, headers: { Public: METHODS } };
      case 'DESCRIBE':
        return path === CAMERA_PATH ? this.#describe() : { status: 404 };
      case 'SETUP':
        return path === `${CAMERA_PATH}/${TRACK}` ? this.#setup(request) : { status: 404 };
      case 'PLAY':
        return known ? this.#inSession(request, (session) => this.#play(session)) : { status: 404 };
      case 'GET_PARAMETER':
        // Without a session it is a ping.
        return request.headers.has('session')
          ? this.#inSession(request, () => ({ status: 200 }))
          : { status: 200 };
      case 'TEARDOWN':
        return this.#inSession(request, () => {
          this.#endSession();
          return { status: 200 };
        });
      default:
        return { status: 501, headers: { Public: METHODS } };
    }
  }

  #describe(): Answer {
    return {
      status: 200,
      headers: { 'Content-Type': 'application/sdp', 'Content-Base': `${this.#url()}/` },
      body: describeClip(this.#source, VIDEO_PAYLOAD_TYPE),
    };
  }

  #setup(request: RtspRequest): Answer {
    if (request.headers.has('session') && this.#sessionOf(request) === undefined) return { status: 454 };
    if (this.#session?.isPlaying) return { status: 455 };
    const channels = interleavedChannels(request.headers.get('transport') ?? '');
    if (!channels) return { status: 461 };
    this.#endSession();
    const session = this.#newSession(...channels);
    this.#session = session;
    const ssrc = session.sender.ssrc.toString(16).toUpperCase().padStart(8, '0');
    return {
      status: 200,
      headers: {
        Session: `${session.id};timeout=${IDLE_LIMIT_S}`,
        Transport: `RTP/AVP/TCP;unicast;interleaved=${channels.join('-')};ssrc=${ssrc};mode="PLAY"`,
      },
    };
  }

  #play(session: Session): Answer {
    const sequence = session.sender.nextSequence;
    if (!session.isPlaying) {
      session.isPlaying = true;
      // After the answer, so that the client knows the first packet's number before it arrives.
      setImmediate(() => {
        if (this.#session === session) session.player.start();
      });
    }
    return {
      status: 200,
      headers: {
        Range: 'npt=now-',
        'RTP-Info': `url=${this.#url()}/${TRACK};seq=${sequence};rtptime=${session.firstTimestamp}`,
      },
    };
  }

  #newSession(rtpChannel: number, rtcpChannel: number): Session {
    const sender = new RtpSender({
      payloadType: VIDEO_PAYLOAD_TYPE,
      ssrc: randomBytes(4).readUInt32BE(),
      firstSequence: randomBytes(2).readUInt16BE(),
    });
    const { clip, framesPerSecond, clock } = this.#source;
    const sink = {
      send: (nals: readonly Buffer[], number: number) => this.#sendPicture(session, nals, number),
      isFull: () => this.#socket.writableLength > SEND_BACKLOG_BYTES,
    };
    const session: Session = {
      id: randomBytes(8).toString('hex'),
      rtpChannel,
      rtcpChannel,
      sender,
      firstTimestamp: randomBytes(4).readUInt32BE(),
      player: new ClipPlayer(clip, framesPerSecond, sink, clock),
      isPlaying: false,
      reportedAt: Number.NEGATIVE_INFINITY,
    };
    return session;
  }

  #sendPicture(session: Session, nals: readonly Buffer[], number: number): void {
    const ticksPerFrame = VIDEO_CLOCK_HZ / this.#source.framesPerSecond;
    const timestamp = (session.firstTimestamp + number * ticksPerFrame) >>> 0;
    const now = this.#source.clock.now();
    this.#socket.cork();
    if (now - session.reportedAt >= SENDER_REPORT_EVERY_MS) {
      session.reportedAt = now;
      this.#socket.write(
        interleaved(session.rtcpChannel, session.sender.senderReport(now, timestamp, 'camera@faceplate')),
      );
    }
    for (const packet of session.sender.packetsOf(nals, timestamp)) {
      this.#socket.write(interleaved(session.rtpChannel, packet));
    }
    this.#socket.uncork();
  }

  #inSession(request: RtspRequest, run: (session: Session) => Answer): Answer {
    const session = this.#sessionOf(request);
    if (!session) return { status: 454 };
    const answer = run(session);
    return { ...answer, headers: { Session: session.id, ...answer.headers } };
  }

  #sessionOf(request: RtspRequest): Session | undefined {
    const id = request.headers.get('session')?.split(';')[0]?.trim();
    return this.#session?.id === id ? this.#session : undefined;
  }

  #endSession(): void {
    this.#session?.player.stop();
    this.#session = undefined;
  }

  #send(cseq: number | undefined, answer: Answer): void {
    const lines = [`RTSP/1.0 ${answer.status} ${REASONS[answer.status]}`];
    if (cseq !== undefined) lines.push(`CSeq: ${cseq}`);
    lines.push('Server: Faceplate simulated camera');
    for (const [name, value] of Object.entries(answer.headers ?? {})) lines.push(`${name}: ${value}`);
    const body = answer.body ?? '';
    if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
    this.#socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  }

  #url(): string {
    return `rtsp://127.0.0.1:${this.#socket.localPort}${CAMERA_PATH}`;
  }
}

/** Path of a request URI without slashes at its end; `*` means the whole server. Undefined: no URI of this scheme. */
function pathOf(uri: string): string | undefined {
  if (uri === '*') return '';
  if (!/^rtsp:\/\//i.test(uri) || !URL.canParse(uri)) return undefined;
  return new URL(uri).pathname.replace(/\/+$/, '');
}

/** Channels of the first transport in the list that runs inside the connection; undefined when there is none. */
function interleavedChannels(transport: string): [number, number] | undefined {
  for (const choice of transport.split(',')) {
    const [protocol = '', ...parameters] = choice.split(';').map((part) => part.trim().toLowerCase());
    if (protocol !== 'rtp/avp/tcp' || parameters.includes('multicast')) continue;
    const asked = parameters.find((parameter) => parameter.startsWith('interleaved='));
    if (asked === undefined) return [0, 1];
    const match = /^interleaved=(\d{1,3})(?:-(\d{1,3}))?$/.exec(asked);
    const rtp = Number(match?.[1]);
    const rtcp = match?.[2] === undefined ? rtp + 1 : Number(match[2]);
    if (rtp <= 255 && rtcp <= 255 && rtp !== rtcp) return [rtp, rtcp];
  }
  return undefined;
}

/** Control name of the video, relative to Content-Base. */
const TRACK = 'trackID=0';

/** What DESCRIBE answers (RFC 4566; H.264 parameters as in RFC 6184, 8.2.1). */
function describeClip(
  source: { readonly clip: Clip; readonly framesPerSecond: number },
  payloadType: number,
): string {
  const { sps, pps } = source.clip;
  // The three bytes after the SPS's header: profile, constraints, level.
  const profileLevelId = sps.toString('hex', 1, 4);
  const parameterSets = `${sps.toString('base64')},${pps.toString('base64')}`;
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=Faceplate demo camera',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    'a=range:npt=now-',
    'a=control:*',
    `m=video 0 RTP/AVP ${payloadType}`,
    `a=rtpmap:${payloadType} H264/${VIDEO_CLOCK_HZ}`,
    `a=fmtp:${payloadType} packetization-mode=1;profile-level-id=${profileLevelId};sprop-parameter-sets=${parameterSets}`,
    `a=framerate:${source.framesPerSecond}`,
    `a=control:${TRACK}`,
  ];
  return `${lines.join('\r\n')}\r\n`;
}
