import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { doubled } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { type BrokerPlace, MalformedPacket, type ProtocolVersion, UnreadableFile } from './brokerStream.ts';

const FIRST_MS = 1_000;
const MOST_MS = 30_000;
/** A connection that holds so long is a good one, in milliseconds. */
const GOOD_AFTER_MS = 60_000;
/** So many connections, none of them good, mean that another client has the same id: each takes over from the other. */
const CUT_OFFS = 3;

/** When to try again, and whether somebody else takes the connection away. */
export class Reconnection {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #onGood: () => void;
  #failures = 0;
  #cutOffs = 0;
  /** Set until a connection has lasted a minute. */
  #cancelGood: (() => void) | undefined;

  /** @param random 0 to 1, for the jitter @param onGood a connection has lasted a minute */
  constructor(clock: Clock, random: () => number, onGood: () => void) {
    this.#clock = clock;
    this.#random = random;
    this.#onGood = onGood;
  }

  /** Whether connections were cut off three times, each within a minute. */
  get isCutOff(): boolean {
    return this.#cutOffs >= CUT_OFFS;
  }

  connected(): void {
    this.#cancelGood = this.#clock.after(GOOD_AFTER_MS, () => {
      this.#cancelGood = undefined;
      this.#failures = 0;
      this.#cutOffs = 0;
      this.#onGood();
    });
  }

  /** The connection has ended, for whatever reason. @param isTakenOver the broker says so itself */
  lost(isTakenOver: boolean): void {
    if (this.#cancelGood !== undefined) this.#cutOffs++;
    if (isTakenOver) this.#cutOffs = Math.max(this.#cutOffs, CUT_OFFS);
    this.stop();
  }

  /** @returns milliseconds to the next try: 1 to 30 s, doubling, never twice the same */
  pause(): number {
    return doubled(this.#failures++, FIRST_MS, MOST_MS / 2) * (1 + this.#random());
  }

  stop(): void {
    this.#cancelGood?.();
    this.#cancelGood = undefined;
  }
}

/** So many malformed packets with MQTT 5 are no accident. */
const MOST_MALFORMED = 2;

/** Which version of MQTT to try next, by how the connections before ended. */
export class VersionChoice {
  /** Tries that ended without a word; a broker of 3.1.1 may end one in MQTT 5 so. */
  #silent = 0;
  /** Malformed packets that came with MQTT 5. */
  #malformed = 0;
  /** Whether the last connection was one of 3.1.1. */
  #isOld = false;

  get next(): ProtocolVersion {
    if (this.#malformed >= MOST_MALFORMED) return 4;
    return this.#silent >= 2 && this.#silent % 2 === 0 ? 4 : 5;
  }

  accepted(version: ProtocolVersion): void {
    this.#silent = 0;
    this.#isOld = version === 4;
  }

  /** A try, or a connection, has failed. @returns whether 3.1.1 may follow without a pause */
  failed(version: ProtocolVersion, failure: unknown): 'at once' | 'later' {
    const isMalformed = failure instanceof MalformedPacket;
    // A broker that breaks 3.1.1 too, or does not speak it, is asked in MQTT 5 again.
    if (version === 4 && (isMalformed || refusesVersion(failure))) this.#malformed = 0;
    else if (isMalformed) this.#malformed++;
    // One that closes at MQTT 5 without a word (RabbitMQ 3.10) is known by now.
    const isRefused = refusesVersion(failure) || (this.#isOld && isSilent(failure));
    if (version === 5 && isRefused) return 'at once';
    if (!isMalformed && isSilent(failure)) this.#silent++;
    return 'later';
  }
}

/** What is wrong while the panel is connected, and after it was. */
export const LOST = 'the connection was lost';
export const SHARED_ID = 'another client uses this id';
export const KEPT_BACK = 'the broker keeps messages from this panel';

/** What MQTT.js says when a broker does not answer a connection. */
const NO_CONNACK = 'connack timeout';

/** Reason codes of MQTT 5 and return codes of 3.1.1 that refuse a user or its password. */
const REFUSED_USER = [4, 5, 134, 135, 138];
/** Codes by which a broker refuses the version of the protocol. */
const REFUSED_VERSION = [1, 132];
/** DISCONNECT of MQTT 5: the session was taken over. */
export const TAKEN_OVER = 142;

/** A broker refuses the version: an older one may do. */
function refusesVersion(error: unknown): boolean {
  return REFUSED_VERSION.includes(refusalOf(error) ?? -1);
}

/** How a try to connect ended. */
interface FailedTry {
  readonly place: BrokerPlace;
  readonly error: unknown;
  /** What the port turned out to speak; undefined: it was not asked, or gave no answer. */
  readonly speaks: 'tls' | 'mqtt' | undefined;
}

/** A reason for people, as `info.mqtt` has it; never with a password. */
export function reasonOf({ place, error, speaks }: FailedTry): string {
  if (error instanceof UnreadableFile) return `a file cannot be read: ${error.message}`;
  const refusal = refusalOf(error);
  if (refusal !== undefined)
    return REFUSED_USER.includes(refusal) ? 'wrong user or password' : unreachable(place, wordsOf(error));
  const code = codeOf(error) ?? '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'the certificate of the broker is for another name';
  if (isUntrusted(code)) return `the certificate of the broker is not trusted: ${code}`;
  if (isCertificateWanted(code)) return 'the broker wants a client certificate';
  if (place.isTls && (speaks === 'mqtt' || isNoTls(error))) return 'the broker speaks no TLS on this port';
  if (!place.isTls && speaks === 'tls') return 'the broker wants TLS on this port';
  if (error instanceof MalformedPacket) return `the broker sent a malformed packet: ${wordsOf(error)}`;
  return unreachable(place, wordsOf(error));
}

/**
 * An error of MQTT.js that says that the broker broke the protocol; MQTT.js itself reads on.
 * @param isAccepted whether the connection was accepted: a code before that is the broker's own refusal
 */
export function malformedBy(error: Error, isAccepted: boolean): MalformedPacket | undefined {
  if (error instanceof MalformedPacket) return error;
  const isOurs = codeOf(error) === undefined && (isAccepted || refusalOf(error) === undefined);
  return isOurs && error.message !== NO_CONNACK ? new MalformedPacket(error.message) : undefined;
}

/** Whether only a look at the port itself can tell what is wrong: the other side closed without a word. */
export function isSilent(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return refusalOf(error) === undefined && !(error instanceof UnreadableFile);
  return ['ECONNRESET', 'EPIPE', 'EPROTO', 'ERR_STREAM_PREMATURE_CLOSE'].includes(code);
}

function unreachable({ host, port }: BrokerPlace, words: string): string {
  return `the broker cannot be reached: ${host}:${port}: ${words}`;
}

function wordsOf(error: unknown): string {
  const errno = errnoOf(error);
  if (errno !== undefined) return errnoWords(errno);
  if (error === undefined) return 'it closes the connection';
  const text = error instanceof Error ? error.message : String(error);
  return text === NO_CONNACK ? 'it does not answer' : text.slice(0, 200);
}

/** The code of a CONNACK that refuses. */
function refusalOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an error says that the other side speaks TLS: it showed a certificate, or sent an alert. */
function isOfTls(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return isUntrusted(code) || code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code.includes('_ALERT_');
}

/** What OpenSSL says of an answer that is no TLS. */
function isNoTls(error: unknown): boolean {
  return error instanceof Error && /wrong version number|packet length too long/.test(error.message);
}

/** Codes of X509_V_ERR_*, as Node names them. */
function isUntrusted(code: string): boolean {
  return (
    /^(?:CERT_|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH)/.test(code) ||
    /SELF_SIGNED_CERT/.test(code)
  );
}

/** Alerts of TLS 1.2 and 1.3 for a client without a certificate, or with one that is not trusted. */
function isCertificateWanted(code: string): boolean {
  return /ALERT_(?:CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED|ACCESS_DENIED)/.test(
    code,
  );
}

/** How long a port may take to answer, in milliseconds. */
const PROBE_LIMIT_MS = 3_000;
/** First byte of an answer in MQTT: CONNACK. */
const CONNACK = 0x20;
/** CONNECT of 3.1.1 without id, user and will, session clean: no other session is touched. */
const PLAIN_CONNECT = Buffer.from([0x10, 12, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 5, 0, 0]);

/**
 * What a port speaks that closed without a word when it was asked the other way: a TLS port that was asked in plain MQTT,
 * or a plain one that was asked in TLS. No secret is sent.
 */
export async function portSpeaks({
  host,
  port,
  isTls,
  isWeb,
}: BrokerPlace): Promise<'tls' | 'mqtt' | undefined> {
  return isTls ? speaksPlain(host, port, isWeb) : speaksTls(host, port);
}

function speaksTls(host: string, port: number): Promise<'tls' | undefined> {
  return new Promise((resolve) => {
    // Verified: only whether it comes so far matters, and nothing is sent then.
    const socket = connectTls({ host, port });
    const end = (answer?: 'tls') => {
      clearTimeout(limit);
      socket.destroy();
      resolve(answer);
    };
    const limit = setTimeout(end, PROBE_LIMIT_MS);
    socket.once('secureConnect', () => end('tls'));
    socket.once('error', (error) => end(isOfTls(error) ? 'tls' : undefined));
    socket.once('close', () => end());
  });
}

function speaksPlain(host: string, port: number, isWeb: boolean): Promise<'mqtt' | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (answer?: 'mqtt') => {
      clearTimeout(limit);
      socket.destroy();
      resolve(answer);
    };
    const limit = setTimeout(end, PROBE_LIMIT_MS);
    socket.once('connect', () =>
      socket.write(isWeb ? `HEAD / HTTP/1.1\r\nHost: ${host}\r\n\r\n` : PLAIN_CONNECT),
    );
    socket.once('data', ([first]) => {
      const isPlain = first === (isWeb ? 'H'.charCodeAt(0) : CONNACK);
      end(isPlain ? 'mqtt' : undefined);
    });
    socket.once('error', () => end());
    socket.once('close', () => end());
  });
}
