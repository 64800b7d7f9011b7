import type { IncomingMessage } from 'node:http';
import { FaceplateError } from '../../contract/errors.ts';
import { unlessAborted } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import { loginWaits } from '../onvif/failure.ts';
import { loginKey, REFUSED_MS } from '../onvif/hosts.ts';
import { callCamera, readBody } from '../onvif/http.ts';
import { Authenticator } from '../rtsp/auth.ts';
import { type CameraAccess, type CameraUrl, cameraKey } from '../rtsp/cameraUrl.ts';
import { closedByCamera, noAnswer } from '../rtsp/failure.ts';
import { MAX_PICTURE } from './picture.ts';

/** Time for a picture, and for the head of an answer, in milliseconds. */
const PICTURE_MS = 5_000;
/** Time for the next part of an answer without an end, in milliseconds: some send one when something moves. */
const PART_MS = 30_000;
/** Longest time that a timer of Node takes, in milliseconds: 24 days. */
const ENDLESS_MS = 2 ** 31 - 1;
/** Answers to challenges of one call: the first asks for the login, others refuse a nonce or an algorithm. */
const MAX_CHALLENGES = 3;
const MAX_REFUSED = 64;

/** Takes the pictures of an answer without an end, one after the other; false: no more of them. */
type TakePart = (jpeg: Buffer) => boolean;

/**
 * Cameras with pictures at an address of the web: a JPEG, or JPEGs one after the other (`multipart/x-mixed-replace`). Methods
 * throw FaceplateError CAMERA_UNREACHABLE, CAMERA_UNAUTHORIZED, CAMERA_NOT_FOUND, CAMERA_PROTOCOL, CAMERA_TIMEOUT,
 * TOO_LARGE, FORBIDDEN; the reason of `signal`.
 */
export class WebCameras {
  readonly #access: CameraAccess;
  readonly #clock: Clock;
  /** Until when a login is not sent, by host, port and login: whatever the path. */
  readonly #refused = new Map<string, number>();

  constructor(access: CameraAccess, clock: Clock) {
    this.#access = access;
    this.#clock = clock;
  }

  /** One picture: the answer itself, or its first part. */
  async picture(url: CameraUrl, signal: AbortSignal): Promise<Buffer> {
    let first: Buffer | undefined;
    const take = (jpeg: Buffer) => {
      first = jpeg;
      return false;
    };
    const whole = await inTime(this.#clock, PICTURE_MS, signal, (until) => this.follow(url, until, take));
    const picture = first ?? whole;
    if (picture === undefined) throw closedByCamera();
    return picture;
  }

  /**
   * All parts of an answer without an end, until the camera ends it or `take` is content.
   * @returns the picture, where the camera has only one
   */
  async follow(url: CameraUrl, signal: AbortSignal, take: TakePart): Promise<Buffer | undefined> {
    const { host, port, isSecure, credentials, credentialsPort } = url;
    const { pathname, search } = new URL(url.requestUri);
    const path = `${pathname}${search}`;
    const mayLogIn = credentials !== undefined && (credentialsPort === undefined || credentialsPort === port);
    const login = mayLogIn ? new Authenticator(credentials) : undefined;
    for (let challenges = 0; ; challenges++) {
      if (login !== undefined) this.#mustNotWait(url);
      const authorization = login?.authorization('GET', path);
      const late = new AbortController();
      const cancel = this.#clock.after(PICTURE_MS, () => late.abort(noAnswer('HTTP')));
      const answer = await callCamera(
        {
          place: { host, port, isSecure },
          access: this.#access,
          method: 'GET',
          path,
          headers: {
            Accept: 'image/jpeg, multipart/x-mixed-replace, */*;q=0.1',
            ...(authorization !== undefined && { Authorization: authorization }),
          },
          timeoutMs: ENDLESS_MS,
          signal: AbortSignal.any([signal, late.signal]),
        },
        async (message) => {
          cancel();
          if (message.statusCode === 200) return { picture: await read(message, this.#clock, take) };
          return {
            status: message.statusCode ?? 0,
            challenges: message.headersDistinct['www-authenticate'] ?? [],
          };
        },
      ).finally(cancel);
      if ('picture' in answer) return answer.picture;
      const mayTry = answer.status === 401 && login !== undefined && challenges < MAX_CHALLENGES;
      if (mayTry && login.challenge(answer.challenges)) continue;
      if (answer.status === 401 && authorization !== undefined) this.#refuse(url);
      throw failureOf(answer.status, login !== undefined);
    }
  }

  #mustNotWait(url: CameraUrl): void {
    const left = (this.#refused.get(refusalKey(url)) ?? 0) - this.#clock.now();
    if (left > 0) throw loginWaits(Math.ceil(left / 1000), undefined);
  }

  #refuse(url: CameraUrl): void {
    const key = refusalKey(url);
    this.#refused.delete(key);
    this.#refused.set(key, this.#clock.now() + REFUSED_MS);
    if (this.#refused.size > MAX_REFUSED) this.#refused.delete(this.#refused.keys().next().value!);
  }
}

const refusalKey = (url: CameraUrl): string => `${cameraKey(url)} ${loginKey(url.credentials!)}`;

/** @returns the body of an answer that is no list of parts; undefined once `take` is content or the list has ended */
async function read(message: IncomingMessage, clock: Clock, take: TakePart): Promise<Buffer | undefined> {
  const type = message.headers['content-type'] ?? '';
  const { signal } = new AbortController();
  if (!/^multipart\//i.test(type))
    return inTime(clock, PICTURE_MS, signal, () => readBody(message, MAX_PICTURE));
  const parts = new PartReader(type);
  const chunks = (message as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (let isContent = false; !isContent; ) {
    // However its bytes are spread over the time.
    const part = await inTime(clock, PART_MS, signal, () => nextPart(chunks, parts));
    if (part === undefined) return undefined;
    isContent = !take(part);
  }
  return undefined;
}

async function nextPart(chunks: AsyncIterator<Buffer>, parts: PartReader): Promise<Buffer | undefined> {
  for (;;) {
    const part = parts.next();
    if (part !== undefined) return part;
    const { done, value } = await chunks.next();
    if (done === true) return parts.last();
    parts.push(value);
  }
}

/** Limits work by its time; it gets a signal that ends it. @throws FaceplateError CAMERA_TIMEOUT; the reason of `signal` */
async function inTime<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const cancel = clock.after(ms, () => late.abort(noAnswer('HTTP')));
  const until = AbortSignal.any([signal, late.signal]);
  return unlessAborted(work(until), until).finally(cancel);
}

/** The error of an answer without a picture. */
function failureOf(status: number, hasLogin: boolean): FaceplateError {
  if (status === 401 && !hasLogin)
    return new FaceplateError(
      'CAMERA_UNAUTHORIZED',
      'The camera asks for a login (HTTP 401): put it into the setting streams.cameras.',
    );
  if (status === 401 || status === 403)
    return new FaceplateError(
      'CAMERA_UNAUTHORIZED',
      `The camera refused the user name or password (HTTP ${status}).`,
    );
  if (status === 404)
    return new FaceplateError('CAMERA_NOT_FOUND', 'The camera has no picture at this address (HTTP 404).');
  return new FaceplateError(
    'CAMERA_PROTOCOL',
    `The camera answered with HTTP ${status} in place of a picture.`,
  );
}

/** Most bytes of the headers of a part. */
const MAX_HEADERS = 8 * 1024;
const FIRST_ROOM = 64 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Reads the parts of `multipart/x-mixed-replace` (RFC 2046 section 5.1) as cameras send them: with a length or up to the next
 * delimiter, whose dashes may be part of the boundary or not, with line ends of one or two bytes.
 */
export class PartReader {
  readonly #start: Buffer;
  /** What ends a part without a length. */
  readonly #end: Buffer;
  #room = Buffer.alloc(FIRST_ROOM);
  #size = 0;
  /** Bytes of the next part; undefined: up to the delimiter. Null: its headers have not come. */
  #length: number | undefined | null = null;
  /** How far the delimiter was looked for. */
  #looked = 0;

  /** @param type the media type of the answer */
  constructor(type: string) {
    const boundary = /boundary=(?:"([^"]*)"|([^\s;]+))/i.exec(type);
    const name = (boundary?.[1] ?? boundary?.[2] ?? '').replace(/^-+/, '').slice(0, 200);
    this.#start = Buffer.from(`--${name}`, 'latin1');
    // Two dashes alone stand in pictures too.
    this.#end = Buffer.from(name === '' ? '\n--' : `--${name}`, 'latin1');
  }

  /** Takes the next bytes. @throws FaceplateError TOO_LARGE for a part over 8 MiB */
  push(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    if (size > MAX_PICTURE + MAX_HEADERS) throw tooLarge();
    if (size > this.#room.length) {
      const room = Buffer.alloc(Math.max(size, 2 * this.#room.length));
      this.#room.copy(room, 0, 0, this.#size);
      this.#room = room;
    }
    chunk.copy(this.#room, this.#size);
    this.#size = size;
  }

  /** The next whole part; undefined until more has come. @throws FaceplateError CAMERA_PROTOCOL, TOO_LARGE */
  next(): Buffer | undefined {
    if (this.#length === null && !this.#readHeaders()) return undefined;
    return this.#length === undefined ? this.#upToDelimiter() : this.#ofLength(this.#length!);
  }

  /** What is left once nothing more comes; undefined where that is no part. */
  last(): Buffer | undefined {
    return this.#length === undefined && this.#size > 0 ? this.#take(this.#size, this.#size) : undefined;
  }

  #readHeaders(): boolean {
    const bytes = this.#room.subarray(0, this.#size);
    // What stands before the first delimiter belongs to no part.
    const start = bytes.indexOf(this.#start);
    const from = Math.max(0, start);
    const text = bytes.toString('latin1', from, from + MAX_HEADERS);
    const head = start < 0 ? null : /\r?\n\r?\n/.exec(text);
    if (head === null) {
      if (text.length < MAX_HEADERS) return false;
      throw new FaceplateError('CAMERA_PROTOCOL', 'The camera sends parts without their headers.');
    }
    const headers = text.slice(0, head.index);
    const length = Number(/^content-length:[ \t]*(\d{1,9})[ \t]*$/im.exec(headers)?.[1] ?? 0);
    if (length > MAX_PICTURE) throw tooLarge();
    // Some write the headers before they have the picture, with a length of 0.
    this.#length = length > 0 ? length : undefined;
    this.#drop(start + head.index + head[0].length);
    return true;
  }

  #ofLength(length: number): Buffer | undefined {
    return this.#size < length ? undefined : this.#take(length, length);
  }

  #upToDelimiter(): Buffer | undefined {
    const bytes = this.#room.subarray(0, this.#size);
    const at = bytes.indexOf(this.#end, Math.max(0, this.#looked - this.#end.length));
    this.#looked = this.#size;
    if (at < 0) return undefined;
    let length = at;
    if (bytes[length - 1] === LINE_FEED) length--;
    if (bytes[length - 1] === CARRIAGE_RETURN) length--;
    return this.#take(length, at);
  }

  /** The first bytes as the part. @param used how many are no longer needed */
  #take(length: number, used: number): Buffer {
    const part = Buffer.from(this.#room.subarray(0, length));
    this.#length = null;
    this.#drop(used);
    return part;
  }

  #drop(used: number): void {
    this.#room.copyWithin(0, used, this.#size);
    this.#size -= used;
    this.#looked = 0;
  }
}

function tooLarge(): FaceplateError {
  return new FaceplateError('TOO_LARGE', "The camera's picture is larger than 8 MiB.");
}
