import { FaceplateError } from '../../contract/errors.ts';
import { Authenticator } from './auth.ts';
import { type CameraAccess, type CameraUrl, hostKey, redirectTarget } from './cameraUrl.ts';
import { RtspConnection } from './connection.ts';
import { failureOfStatus, malformed } from './failure.ts';
import { header, type RtspResponse } from './message.ts';
import {
  type MediaDescription,
  parseSessionDescription,
  resolveControl,
  type SessionDescription,
  withoutLogin,
} from './sdp.ts';
import { InterleavedTransport, type MediaTransport, type PacketSink, UdpTransport } from './transports.ts';

const MAX_REDIRECTS = 3;
/** 401 answers to one request: the first asks for the login, another may report a stale nonce. */
const MAX_LOGINS = 2;
/** Session time-out of a camera that does not name one, in seconds (RFC 2326 section 12.37). */
const DEFAULT_SESSION_SECONDS = 60;
/** Many cameras name 60 s and end after 30 s. */
const KEEPALIVE_LIMIT_MS = 25_000;
const KEEPALIVE_LEAST_MS = 2_000;
/** RFC 2326 section 11.3.14. */
const UNSUPPORTED_TRANSPORT = 461;

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
  /** No packet came over UDP, which was asked for first; now the camera is asked for TCP. */
  readonly onUdpSilent?: () => void;
  /** The camera ended the connection; called at most once, never after `close`. */
  readonly onClosed: (error: FaceplateError) => void;
}

/**
 * RTSP 1.0 client (RFC 2326): `describe`, then `play` with the wanted media, then `close`.
 * Its methods throw FaceplateError CAMERA_UNREACHABLE, CAMERA_UNAUTHORIZED, CAMERA_NOT_FOUND, CAMERA_PROTOCOL, CAMERA_TIMEOUT.
 */
export class RtspClient {
  readonly #options: RtspClientOptions;
  readonly #interleaved: InterleavedTransport;
  #transport: MediaTransport;
  #url: CameraUrl;
  #connection: RtspConnection | undefined;
  #authenticator: Authenticator | undefined;
  #methods = new Set<string>();
  /** The base URL of control attributes. */
  #base = '';
  #aggregate = '';
  #session: string | undefined;
  #sessionSeconds = DEFAULT_SESSION_SECONDS;
  #keepalive: NodeJS.Timeout | undefined;
  #closed = false;
  /** Ends the wait for the first packet over UDP. */
  #onFirstPacket: (came: boolean) => void = () => {};

  constructor(options: RtspClientOptions) {
    this.#options = options;
    this.#url = options.url;
    this.#interleaved = new InterleavedTransport(options.sink);
    this.#transport = this.#interleaved;
  }

  /** Connects and asks what the camera sends; follows at most three redirects. */
  async describe(): Promise<SessionDescription> {
    for (let redirects = 0; ; redirects++) {
      await this.#connect();
      await this.#readMethods();
      const uri = this.#url.requestUri;
      const response = await this.#request('DESCRIBE', uri, { Accept: 'application/sdp' });
      if (response.status >= 300 && response.status < 400) {
        if (redirects === MAX_REDIRECTS) throw malformed('it redirects more than three times');
        await this.#follow(header(response.headers, 'location'));
        continue;
      }
      if (response.status !== 200) throw this.#failure('DESCRIBE', response);
      return this.#readDescription(response);
    }
  }

  /**
   * Sets up the media in this order (their packets carry the index as `track`) and starts them. If UDP is to be asked
   * for first, it waits for the first packet, and uses TCP if the camera refuses or nothing comes.
   */
  async play(media: readonly MediaDescription[]): Promise<void> {
    // Never from TLS to UDP: the media would be unencrypted.
    const wanted = this.#options.access.udpHosts().some((host) => hostKey(host) === hostKey(this.#url.host));
    if (this.#url.isSecure || !wanted) {
      await this.#start(media);
      return;
    }
    this.#useUdp();
    if ((await this.#startOverUdp(media)) || this.#closed) return;
    this.#options.onUdpSilent?.();
    await this.#endSession();
    this.#transport = this.#interleaved;
    await this.describe();
    await this.#start(media);
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
    for (const [track, description] of media.entries()) {
      const uri = resolveControl(this.#base, description.control);
      let response = await this.#setUp(track, uri);
      const isRefused = response.status === UNSUPPORTED_TRANSPORT && this.transport === 'tcp';
      if (isRefused && track === 0 && !this.#url.isSecure) {
        this.#useUdp();
        response = await this.#setUp(track, uri);
      }
      if (response.status !== 200) throw this.#failure('SETUP', response);
      this.#transport.accept(track, header(response.headers, 'transport'));
      this.#readSession(response);
    }
    const response = await this.#request('PLAY', this.#aggregate, { Range: 'npt=0.000-' });
    if (response.status !== 200) throw this.#failure('PLAY', response);
    const halfMs = (this.#sessionSeconds * 1000) / 2;
    const period = Math.max(KEEPALIVE_LEAST_MS, Math.min(halfMs, KEEPALIVE_LIMIT_MS));
    if (!this.#closed) this.#keepalive = setInterval(() => this.#keepAlive(), period);
  }

  /** Sends TEARDOWN if there is a session and closes the socket; resolves when it is gone. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#onFirstPacket(false);
    await this.#endSession();
  }

  /** The transport of the media, once `play` is done. */
  get transport(): 'tcp' | 'udp' {
    return this.#transport === this.#interleaved ? 'tcp' : 'udp';
  }

  async #endSession(): Promise<void> {
    clearInterval(this.#keepalive);
    this.#transport.close();
    const connection = this.#connection;
    const session = this.#session;
    if (session === undefined) return connection?.close();
    const headers = this.#headers('TEARDOWN', this.#aggregate, {});
    this.#session = undefined;
    if (!this.#closed) this.#connection = undefined;
    return connection?.close({ method: 'TEARDOWN', uri: this.#aggregate, headers });
  }

  async #setUp(track: number, uri: string): Promise<RtspResponse> {
    return this.#request('SETUP', uri, { Transport: await this.#transport.offer(track) });
  }

  /** Thrown if the camera does not send inside the connection. */
  #useUdp(): void {
    const { local, remote } = this.#connection!.addresses;
    const { sink } = this.#options;
    this.#transport = new UdpTransport({
      sink: {
        onRtp: (track, packet) => {
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

  async #connect(): Promise<void> {
    const connection = new RtspConnection(this.#options.replyMs, this.#options.access, {
      onInterleaved: (channel, payload) => this.#interleaved.deliver(channel, payload),
      onClosed: (error) => {
        clearInterval(this.#keepalive);
        if (!this.#closed && connection === this.#connection) this.#options.onClosed(error);
      },
    });
    this.#connection = connection;
    const { credentials, host, port, isSecure } = this.#url;
    this.#authenticator = credentials === undefined ? undefined : new Authenticator(credentials);
    if (this.#closed) await connection.close();
    await connection.connect(host, port, this.#options.connectMs, isSecure);
  }

  /** OPTIONS lists which keepalive the camera knows. A camera that refuses it may still play. */
  async #readMethods(): Promise<void> {
    const response = await this.#request('OPTIONS', this.#url.requestUri, {});
    const names = (response.headers.get('public') ?? []).join(',').split(',');
    this.#methods = new Set(names.map((name) => name.trim().toUpperCase()));
  }

  async #follow(location: string | undefined): Promise<void> {
    const target = location === undefined ? undefined : redirectTarget(this.#url, location);
    if (target === undefined)
      throw malformed('it redirects to an address that is neither rtsp:// nor rtsps://');
    this.#url = target;
    const old = this.#connection;
    this.#connection = undefined;
    await old?.close();
  }

  #readDescription(response: RtspResponse): SessionDescription {
    const given = header(response.headers, 'content-base') ?? header(response.headers, 'content-location');
    // A relative or broken Content-Base is ignored.
    const isUsable = given !== undefined && /^rtsps?:\/\/\S+$/i.test(given);
    this.#base = isUsable ? withoutLogin(given) : this.#url.requestUri;
    const description = parseSessionDescription(response.body.toString('utf8'));
    this.#base = resolveControl(this.#base, description.control);
    this.#aggregate = this.#base;
    return description;
  }

  #readSession(response: RtspResponse): void {
    const [id, ...parameters] = (header(response.headers, 'session') ?? '').split(';');
    if (id === undefined || id.trim() === '') return;
    this.#session = id.trim();
    const seconds = Number(/timeout\s*=\s*(\d{1,6})/i.exec(parameters.join(';'))?.[1]);
    if (seconds > 0) this.#sessionSeconds = seconds;
  }

  #keepAlive(): void {
    const method = this.#methods.has('GET_PARAMETER') ? 'GET_PARAMETER' : 'OPTIONS';
    // Cameras that never answer it still play: the flow of media is checked elsewhere.
    this.#request(method, this.#aggregate, {}).catch(() => {});
  }

  /** Sends a request; on 401 again with the login, and once more with a new nonce if the old one is stale. */
  async #request(
    method: string,
    uri: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<RtspResponse> {
    for (let logins = 0; ; logins++) {
      const response = await this.#connection!.request(method, uri, this.#headers(method, uri, headers));
      if (response.status !== 401 || logins === MAX_LOGINS) return response;
      const challenges = response.headers.get('www-authenticate') ?? [];
      if (this.#authenticator?.challenge(challenges) !== true) return response;
    }
  }

  #headers(
    method: string,
    uri: string,
    headers: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>> {
    const all: Record<string, string> = { ...headers };
    if (this.#session !== undefined) all.Session = this.#session;
    const authorization = this.#authenticator?.authorization(method, uri);
    if (authorization !== undefined) all.Authorization = authorization;
    return all;
  }

  #failure(method: string, response: RtspResponse): FaceplateError {
    return failureOfStatus(method, response.status, this.#url.credentials !== undefined);
  }
}
