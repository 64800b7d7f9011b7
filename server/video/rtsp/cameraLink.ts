import { FaceplateError } from '../../contract/errors.ts';
import { Authenticator } from './auth.ts';
import type { CameraAccess, CameraUrl } from './cameraUrl.ts';
import { RtspConnection } from './connection.ts';
import { closedByCamera } from './failure.ts';
import { header, type RtspResponse } from './message.ts';
import type { ChannelKind } from './starts.ts';

/** 401 answers to one request: the first asks for the login, others refuse a challenge or report a stale nonce. */
const MAX_LOGINS = 4;
/** New connections to a camera that closes the present one before its session begins. */
const MAX_RECONNECTS = 3;

/** What a camera does against the rules, or in an unusual way, and the panel repairs. */
export type CameraFinding =
  /** OPTIONS is not answered, or closes the connection. */
  | 'noOptions'
  /** Bytes between packets or messages are no RTSP. */
  | 'strayBytes'
  /** The connection is closed with a 401. */
  | 'closesAtLogin'
  /** The strongest login that the camera offers does not work; a weaker one does. */
  | 'weakerLogin'
  /** The Content-Length of the description is wrong. */
  | 'wrongLength'
  /** Content-Base is no address, or the address of another host. */
  | 'wrongBase'
  /** The address of a track differs from what the rules say. */
  | 'oddControl'
  /** The camera refuses the sound. */
  | 'soundRefused'
  /** Two tracks use one channel. */
  | 'sharedChannel'
  /** A keep-alive ended the sessions before: the panel uses another kind or pause. */
  | 'keepAlive';

interface CameraLinkOptions {
  readonly connectMs: number;
  readonly replyMs: number;
  readonly access: CameraAccess;
  onInterleaved(channel: number, payload: Buffer): void;
  kindOf(channel: number): ChannelKind;
  onFinding(finding: CameraFinding): void;
  /** The present connection ended; not called for one that `close` ended. */
  onClosed(error: FaceplateError): void;
}

/**
 * The connection to a camera, with the login: it is made again for a camera that closes it together with its 401. Its
 * methods throw what `RtspConnection` throws.
 */
export class CameraLink {
  readonly #options: CameraLinkOptions;
  #url: CameraUrl | undefined;
  #connection: RtspConnection | undefined;
  #authenticator: Authenticator | undefined;
  /** Whether a new connection may replace the present one: it has no session. */
  #isReplaceable = true;
  /** Whether the camera asked for a login on the present connection and has not accepted one. */
  #isRefused = false;
  /** Whether the camera said that it closes the connection. */
  #isClosing = false;
  #reconnects = 0;
  #closed = false;

  constructor(options: CameraLinkOptions) {
    this.#options = options;
  }

  /** The addresses of both ends. */
  get addresses(): { local: string; remote: string } {
    return this.#connection?.addresses ?? { local: '', remote: '' };
  }

  /** Whether the connection has ended. */
  get isOver(): boolean {
    return this.#connection?.isOver ?? true;
  }

  /** Sends an interleaved frame. */
  sendFrame(channel: number, packet: Buffer): void {
    this.#connection?.sendFrame(channel, packet);
  }

  /** The session belongs to this connection: another one cannot continue it. */
  bind(): void {
    this.#isReplaceable = false;
  }

  /** Connects to the first reachable one of these, and replaces the connection before. @returns that one */
  async connect(targets: readonly CameraUrl[]): Promise<CameraUrl> {
    for (const [index, target] of targets.entries()) {
      const { credentials } = target;
      this.#url = target;
      this.#authenticator = credentials === undefined ? undefined : new Authenticator(credentials);
      this.#isReplaceable = true;
      try {
        await this.reconnect();
        return target;
      } catch (error) {
        if (!isUnreachable(error) || this.#closed || index === targets.length - 1) throw error;
      }
    }
    throw closedByCamera();
  }

  /** Connects again, with the known challenges. */
  async reconnect(): Promise<void> {
    const { replyMs, access, connectMs, onClosed, onFinding, onInterleaved, kindOf } = this.#options;
    const { host, port, isSecure } = this.#url!;
    const old = this.#connection;
    const connection = new RtspConnection(replyMs, access, {
      onInterleaved,
      kindOf,
      onStray: () => onFinding('strayBytes'),
      onClosed: (error) => {
        if (!this.#closed && connection === this.#connection) onClosed(error);
      },
    });
    this.#connection = connection;
    this.#isRefused = false;
    this.#isClosing = false;
    await old?.close();
    if (this.#closed) await connection.close();
    await connection.connect(host, port, connectMs, isSecure);
  }

  /**
   * Sends a request; on 401 again with the login, and once more with a new nonce if the old one is stale.
   * @param limitMs time limit of the answer, where it is shorter than usual
   */
  async request(
    method: string,
    uri: string,
    headers: Readonly<Record<string, string>>,
    limitMs?: number,
  ): Promise<RtspResponse> {
    this.#authenticator?.begin();
    if (this.#isClosing && this.#mayReconnect()) await this.reconnect();
    for (let logins = 0; ; ) {
      const response = await this.#send(method, uri, headers, limitMs);
      if (response === undefined) continue;
      this.#isClosing = /close/i.test(header(response.headers, 'connection') ?? '');
      if (response.status !== 401) {
        this.#isRefused = false;
        if (response.status < 400 && this.#authenticator?.isWeaker) this.#options.onFinding('weakerLogin');
        this.#authenticator?.accept();
        return response;
      }
      this.#isRefused = true;
      const challenges = response.headers.get('www-authenticate') ?? [];
      if (logins++ === MAX_LOGINS || this.#authenticator?.challenge(challenges) !== true) return response;
      if ((this.#isClosing || this.isOver) && this.#mayReconnect()) {
        this.#options.onFinding('closesAtLogin');
        await this.reconnect();
      }
    }
  }

  /**
   * The methods that the camera lists in its answer to OPTIONS; undefined where it does not answer, or closes the connection,
   * which is made again then.
   */
  async methods(uri: string, limitMs: number): Promise<ReadonlySet<string> | undefined> {
    try {
      const { headers } = await this.request('OPTIONS', uri, {}, limitMs);
      const names = [...(headers.get('public') ?? []), ...(headers.get('allow') ?? [])].join(',').split(',');
      return new Set(names.map((name) => name.trim().toUpperCase()));
    } catch (error) {
      const isSilent = isUnreachable(error) || (error as FaceplateError).code === 'CAMERA_TIMEOUT';
      if (!isSilent || this.#closed) throw error;
      if (this.isOver) await this.reconnect();
      return undefined;
    }
  }

  /** Closes it, with a last request (TEARDOWN) if one is given; resolves when the socket is gone. */
  async close(farewell?: { method: string; uri: string; headers: Record<string, string> }): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    const last = farewell && {
      ...farewell,
      headers: this.#authorized(farewell.method, farewell.uri, farewell.headers),
    };
    await connection?.close(last);
  }

  /** Ends it for good. */
  end(): void {
    this.#closed = true;
  }

  /** @returns undefined if the camera closed the connection at the login, and another one is there now */
  async #send(
    method: string,
    uri: string,
    headers: Readonly<Record<string, string>>,
    limitMs: number | undefined,
  ): Promise<RtspResponse | undefined> {
    const connection = this.#connection;
    if (connection === undefined) throw closedByCamera();
    try {
      return await connection.request(method, uri, this.#authorized(method, uri, headers), limitMs);
    } catch (error) {
      if (!isUnreachable(error) || !this.#isRefused || !this.#mayReconnect()) throw error;
      this.#options.onFinding('closesAtLogin');
      await this.reconnect();
      return undefined;
    }
  }

  #mayReconnect(): boolean {
    return !this.#closed && this.#isReplaceable && this.#reconnects++ < MAX_RECONNECTS;
  }

  #authorized(
    method: string,
    uri: string,
    headers: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>> {
    const authorization = this.#authenticator?.authorization(method, uri);
    return authorization === undefined ? headers : { ...headers, Authorization: authorization };
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof FaceplateError && error.code === 'CAMERA_UNREACHABLE';
