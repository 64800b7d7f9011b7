import { FaceplateError } from '../../contract/errors.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { type CameraFinding, CameraLink } from './cameraLink.ts';
import { type CameraAccess, type CameraUrl, cameraKey, hostKey, redirectTargets } from './cameraUrl.ts';
import { BACK_CHANNEL, failureOfStatus, malformed, STATUS } from './failure.ts';
import { DEFAULT_SESSION_MS, sessionOf, Upkeep } from './habits.ts';
import { header, type RtspResponse } from './message.ts';
import {
  baseOf,
  controlAddresses,
  type MediaDescription,
  parseSessionDescription,
  type SessionDescription,
} from './sdp.ts';
import { InterleavedTransport, type MediaTransport, type PacketSink, UdpTransport } from './transports.ts';

const MAX_REDIRECTS = 3;
/** Some cameras do not answer OPTIONS; it only lists what they know. */
const OPTIONS_LIMIT_MS = 1_500;
/** A camera that was silent for this time when its session ended had stopped sending. */
const SILENT_MS = 4_500;

interface RtspClientOptions {
  readonly url: CameraUrl;
  /** Time limit of the TCP connection in milliseconds. */
  readonly connectMs: number;
  /** Time limit of each RTSP answer in milliseconds. */
  readonly replyMs: number;
  /** Time limit of the first packet when UDP is asked for first, in milliseconds. */
  readonly udpMs: number;
  readonly access: CameraAccess;
  readonly sink: PacketSink;
  /** Asks for the sound that the camera wants to hear too (ONVIF back channel); `alone`: for nothing else. */
  readonly talk?: 'alone' | 'too' | undefined;
  /** For keep-alives and reports. */
  readonly clock?: Clock;
  /** UDP came first and brought no packet; the client now asks for TCP. */
  readonly onUdpSilent?: () => void;
  /** The camera ended the connection while it played; called at most once, never after `close`. */
  readonly onClosed: (error: FaceplateError) => void;
}

/**
 * RTSP 1.0 client (RFC 2326): `describe`, then `play` with the wanted media, then `close`.
 * Its methods throw FaceplateError CAMERA_UNREACHABLE, CAMERA_UNAUTHORIZED, CAMERA_NOT_FOUND, CAMERA_PROTOCOL, CAMERA_TIMEOUT.
 */
export class RtspClient {
  readonly #options: RtspClientOptions;
  readonly #clock: Clock;
  readonly #interleaved: InterleavedTransport;
  readonly #link: CameraLink;
  readonly #findings = new Set<CameraFinding>();
  #transport: MediaTransport;
  #url: CameraUrl;
  #methods: ReadonlySet<string> = new Set();
  /** The base URL of control attributes. */
  #base = '';
  #aggregate = '';
  /** Which of the possible addresses of a track the camera means. */
  #controlStyle = 0;
  #session: string | undefined;
  #sessionMs = DEFAULT_SESSION_MS;
  #requires: Readonly<Record<string, string>>;
  /** The tracks that were set up. */
  #tracks: ReadonlySet<number> = new Set();
  /** While it plays. */
  #upkeep: Upkeep | undefined;
  #heardAt = 0;
  #closed = false;
  /** Ends the wait for the first packet over UDP. */
  #onFirstPacket: (came: boolean) => void = () => {};

  constructor(options: RtspClientOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#url = options.url;
    this.#requires = options.talk === undefined ? {} : BACK_CHANNEL;
    this.#link = new CameraLink({
      connectMs: options.connectMs,
      replyMs: options.replyMs,
      access: options.access,
      onInterleaved: (channel, payload) => {
        this.#heardAt = this.#clock.now();
        this.#interleaved.deliver(channel, payload);
      },
      kindOf: (channel) => this.#interleaved.kindOf(channel),
      onFinding: (finding) => this.#findings.add(finding),
      onClosed: (error) => {
        // Before, the request that fails reports it.
        if (this.#upkeep === undefined) return;
        this.#endPlaying(true);
        options.onClosed(error);
      },
    });
    this.#interleaved = new InterleavedTransport(options.sink, (channel, packet) =>
      this.#link.sendFrame(channel, packet),
    );
    this.#transport = this.#interleaved;
  }

  /** What the panel has repaired; grows while the camera plays. */
  get findings(): ReadonlySet<CameraFinding> {
    return this.#findings;
  }

  /** The transport of the media, once `play` is done. */
  get transport(): 'tcp' | 'udp' {
    return this.#transport === this.#interleaved ? 'tcp' : 'udp';
  }

  /** Whether the camera sends a track of those given to `play`: it may refuse all but the first. */
  sends(track: number): boolean {
    return this.#tracks.has(track);
  }

  /** Sends an RTP packet on a track that was set up. */
  send(track: number, packet: Buffer): void {
    this.#transport.send(track, packet);
  }

  /**
   * Connects and asks what the camera sends; follows at most three redirects. One without a back channel is described without
   * it; if it was asked for that alone, as empty.
   */
  async describe(): Promise<SessionDescription> {
    let targets: readonly CameraUrl[] = [this.#url];
    for (let redirects = 0; ; redirects++) {
      this.#url = await this.#link.connect(targets);
      await this.#readMethods();
      const uri = this.#url.requestUri;
      const ask = () => this.#request('DESCRIBE', uri, { Accept: 'application/sdp', ...this.#requires });
      let response = await ask();
      if (STATUS.noBackChannel.has(response.status) && this.#options.talk !== undefined) {
        if (this.#options.talk === 'alone') return { media: [], heard: [], control: '' };
        this.#requires = {};
        response = await ask();
      }
      if (response.status >= 300 && response.status < 400) {
        if (redirects === MAX_REDIRECTS) throw malformed('it redirects more than three times');
        const location = header(response.headers, 'location');
        targets = location === undefined ? [] : redirectTargets(this.#url, location);
        if (targets.length === 0)
          throw malformed('it redirects to an address that is neither rtsp:// nor rtsps://');
        continue;
      }
      if (response.status !== 200) throw this.#failure('DESCRIBE', response);
      if (this.#findings.has('noOptions')) this.#habits.skipOptions(cameraKey(this.#url));
      if (response.hasWrongLength) this.#findings.add('wrongLength');
      return this.#readDescription(response);
    }
  }

  /**
   * Sets up the media in this order (their packets carry the index as `track`) and starts them; all but the first may be
   * refused. If UDP comes first, it waits for the first packet, and uses TCP if the camera refuses or no packet
   * arrives.
   */
  async play(media: readonly MediaDescription[]): Promise<void> {
    // Never from TLS to UDP: the media would be unencrypted.
    const wanted = this.#options.access.udpHosts().some((host) => hostKey(host) === hostKey(this.#url.host));
    // Nothing comes back from a track that only hears.
    if (this.#url.isSecure || !wanted || this.#options.talk === 'alone') return this.#start(media);
    this.#useUdp();
    if ((await this.#startOverUdp(media)) || this.#closed) return;
    this.#options.onUdpSilent?.();
    await this.#endSession(false);
    this.#transport = this.#interleaved;
    await this.describe();
    await this.#start(media);
  }

  /** Sends TEARDOWN if there is a session and closes the socket; resolves when it is gone. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#link.end();
    this.#onFirstPacket(false);
    const isSilent = this.#clock.now() - this.#heardAt >= SILENT_MS;
    await this.#endSession(isSilent && this.#options.talk !== 'alone');
  }

  /** @returns whether packets arrive. */
  async #startOverUdp(media: readonly MediaDescription[]): Promise<boolean> {
    const came = Promise.withResolvers<boolean>();
    this.#onFirstPacket = came.resolve;
    try {
      await this.#start(media);
    } catch (error) {
      // 461, or an answer that still means TCP; any other fault appears over TCP too.
      if (error instanceof FaceplateError && error.code === 'CAMERA_PROTOCOL') return false;
      throw error;
    }
    const timer = setTimeout(() => came.resolve(false), this.#options.udpMs);
    return came.promise.finally(() => clearTimeout(timer));
  }

  async #start(media: readonly MediaDescription[]): Promise<void> {
    const tracks = new Set<number>();
    for (const [track, description] of media.entries()) {
      try {
        await this.#setUpTrack(track, description);
        tracks.add(track);
      } catch (error) {
        if (track === 0 || this.#closed || !(error instanceof FaceplateError)) throw error;
        this.#findings.add('soundRefused');
        if (!this.#link.isOver) continue;
        // It closed the connection over the sound: try the picture alone.
        await this.#endSession(false);
        await this.describe();
        return this.#start(media.slice(0, 1));
      }
    }
    this.#tracks = tracks;
    if (this.#interleaved.isShared) this.#findings.add('sharedChannel');
    await this.#startPlaying();
  }

  async #setUpTrack(track: number, { control, formats }: MediaDescription): Promise<void> {
    const uris = controlAddresses(this.#base, control, this.#url.requestUri);
    let response = await this.#setUp(track, uris[this.#controlStyle] ?? uris[0]!);
    for (
      let style = 1;
      style < uris.length && STATUS.misplaced.has(response.status) && track === 0;
      style++
    ) {
      response = await this.#setUp(track, uris[style]!);
      if (response.status !== 200) continue;
      this.#controlStyle = style;
      this.#findings.add('oddControl');
    }
    const isRefused = response.status === STATUS.unsupportedTransport && this.transport === 'tcp';
    if (isRefused && track === 0 && !this.#url.isSecure) {
      this.#useUdp();
      response = await this.#setUp(track, uris[this.#controlStyle] ?? uris[0]!);
    }
    if (response.status !== 200) throw this.#failure('SETUP', response);
    const payloadTypes = formats.map(({ payloadType }) => payloadType);
    this.#transport.accept(track, header(response.headers, 'transport'), payloadTypes);
    this.#readSession(response);
  }

  async #setUp(track: number, uri: string): Promise<RtspResponse> {
    return this.#request('SETUP', uri, { Transport: await this.#transport.offer(track), ...this.#requires });
  }

  /** Some cameras refuse an address with a slash at its end, the base of the tracks, or a range. */
  async #startPlaying(): Promise<void> {
    const uris = new Set([this.#aggregate, this.#aggregate.replace(/\/$/, ''), this.#url.requestUri]);
    let refusal: RtspResponse | undefined;
    for (const uri of uris) {
      let response = await this.#request('PLAY', uri, { Range: 'npt=0.000-', ...this.#requires });
      if (response.status === STATUS.invalidRange)
        response = await this.#request('PLAY', uri, this.#requires);
      this.#aggregate = uri;
      if (response.status === 200) return this.#beginPlaying();
      // The first refusal says most.
      refusal ??= response;
      if (!STATUS.misplaced.has(response.status)) break;
    }
    throw this.#failure('PLAY', refusal!);
  }

  #beginPlaying(): void {
    if (this.#closed) return;
    const habit = this.#habits.of(cameraKey(this.#url));
    const usual = this.#methods.has('GET_PARAMETER') ? 'GET_PARAMETER' : 'OPTIONS';
    if ((habit.keepAlive ?? usual) !== usual || habit.periodMs !== undefined) this.#findings.add('keepAlive');
    this.#heardAt = this.#clock.now();
    this.#upkeep = new Upkeep({
      clock: this.#clock,
      habit,
      usual,
      timeoutMs: this.#sessionMs,
      report: () => this.#transport.report(),
      keepAlive: (method) => this.#request(method, this.#aggregate, {}),
    });
  }

  /** @param isLost whether the camera ended the session, or stopped sending */
  #endPlaying(isLost: boolean): void {
    const upkeep = this.#upkeep;
    this.#upkeep = undefined;
    if (upkeep !== undefined) this.#habits.learn(cameraKey(this.#url), upkeep.end(isLost));
  }

  async #endSession(isLost: boolean): Promise<void> {
    this.#endPlaying(isLost);
    this.#transport.close();
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return this.#link.close();
    const headers = { Session: session, ...this.#requires };
    return this.#link.close({ method: 'TEARDOWN', uri: this.#aggregate, headers });
  }

  /** Thrown if the camera does not send inside the connection. */
  #useUdp(): void {
    const { local, remote } = this.#link.addresses;
    const { sink } = this.#options;
    this.#transport = new UdpTransport({
      sink: {
        onRtp: (track, packet) => {
          this.#heardAt = this.#clock.now();
          if (track === 0) this.#onFirstPacket(true);
          sink.onRtp(track, packet);
        },
        onRtcp: sink.onRtcp.bind(sink),
      },
      localAddress: local,
      remoteAddress: remote,
    });
    if (this.#closed) this.#transport.close();
  }

  /** OPTIONS lists which keepalive the camera knows. A camera that refuses it, or is silent, may still play. */
  async #readMethods(): Promise<void> {
    const { skipsOptions } = this.#habits.of(cameraKey(this.#url));
    const limitMs = Math.min(OPTIONS_LIMIT_MS, this.#options.replyMs);
    const methods = skipsOptions ? undefined : await this.#link.methods(this.#url.requestUri, limitMs);
    if (methods === undefined) this.#findings.add('noOptions');
    else this.#methods = methods;
  }

  #readDescription(response: RtspResponse): SessionDescription {
    const given = header(response.headers, 'content-base') ?? header(response.headers, 'content-location');
    const { base, isMended } = baseOf(given, this.#url.requestUri);
    if (isMended) this.#findings.add('wrongBase');
    const description = parseSessionDescription(response.body.toString('utf8'));
    this.#base = controlAddresses(base, description.control, this.#url.requestUri)[0]!;
    this.#aggregate = this.#base;
    this.#controlStyle = 0;
    return description;
  }

  #readSession(response: RtspResponse): void {
    const { id, timeoutMs } = sessionOf(header(response.headers, 'session'));
    if (id === '') return;
    this.#session = id;
    this.#link.bind();
    this.#sessionMs = timeoutMs ?? this.#sessionMs;
  }

  get #habits() {
    return this.#options.access.habits;
  }

  #request(method: string, uri: string, headers: Readonly<Record<string, string>>): Promise<RtspResponse> {
    const session = this.#session === undefined ? {} : { Session: this.#session };
    return this.#link.request(method, uri, { ...headers, ...session });
  }

  #failure(method: string, response: RtspResponse): FaceplateError {
    return failureOfStatus(method, response.status, this.#url.credentials !== undefined);
  }
}
