import type { FaceplateError } from '../contract/errors.ts';

/** Most lines of a camera's or browser's description; real ones have 20 to 200. */
export const MAX_SDP_LINES = 2_000;
/** Most formats of one media line; browsers name up to 30. */
const MAX_FORMATS = 64;

/** Limits on a stranger's text, and the error beyond them. */
export interface SdpBounds {
  readonly lines: number;
  readonly media: number;
  /** Makes the error to throw. @param what the text has too much of, such as `more than 16 media lines` */
  refuse(what: string): FaceplateError;
}

/** One payload type of a media line. */
export interface SdpFormat {
  readonly payloadType: number;
  /** Encoding name in upper case, such as H264 or PCMU; empty if the sender does not say. */
  readonly codec: string;
  /** Ticks per second of the RTP timestamp. */
  readonly clockRate: number;
  readonly channels: number;
  /** Parameters of a=fmtp by lower-case name; text without `=` is stored under the empty name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Values of a=rtcp-fb for it, or for all. */
  readonly feedback: readonly string[];
}

/** Spaces and control characters have this code or a lower one. */
const SPACE = 0x20;

/** Payload types with a fixed meaning that need no a=rtpmap (RFC 3551 section 6). */
const STATIC_FORMATS: Readonly<Record<number, readonly [codec: string, clockRate: number]>> = {
  0: ['PCMU', 8000],
  3: ['GSM', 8000],
  8: ['PCMA', 8000],
  9: ['G722', 8000],
  13: ['CN', 8000],
  14: ['MPA', 90_000],
  18: ['G729', 8000],
  26: ['JPEG', 90_000],
  32: ['MPV', 90_000],
  33: ['MP2T', 90_000],
};

/** Start and end offsets, alternating, of the values of lines of one kind. */
type Places = number[];

/** Lines of the session, or of one media line. The text is read once; values are extracted on demand. */
export class SdpSection {
  readonly #text: string;
  readonly #byType = new Map<string, Places>();
  readonly #byAttribute = new Map<string, Places>();
  /** Values of an attribute by their leading payload type; built on first use. */
  readonly #byFormat = new Map<string, ReadonlyMap<string, string[]>>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes a line whose value is the text from `start` to `end`. @param type its letter */
  add(type: string, start: number, end: number): void {
    append(this.#byType, type, start, end);
  }

  /** Takes an `a=<name>` or `a=<name>:<value>` line. */
  addAttribute(name: string, start: number, end: number): void {
    append(this.#byAttribute, name, start, end);
  }

  /** Values of the lines of a type, such as `c`. */
  values(type: string): string[] {
    return this.#cut(this.#byType.get(type));
  }

  /** Values of the `a=<name>:` lines; an empty one for each `a=<name>`. */
  attributes(name: string): string[] {
    return this.#cut(this.#byAttribute.get(name));
  }

  /** Whether there is an `a=<name>` line. */
  has(name: string): boolean {
    return this.#byAttribute.has(name);
  }

  /** The first of these attributes, in the order of the lines. */
  firstOf<N extends string>(names: readonly N[]): N | undefined {
    for (const name of this.#byAttribute.keys()) {
      const found = names.indexOf(name as N);
      if (found >= 0) return names[found];
    }
    return undefined;
  }

  /** Values of the `a=<name>:<payload type> <value>` lines. @param format the payload type, or `*` */
  ofFormat(name: string, format: number | '*'): readonly string[] {
    let index = this.#byFormat.get(name);
    if (index === undefined) {
      index = indexByFormat(this.attributes(name));
      this.#byFormat.set(name, index);
    }
    return index.get(String(format)) ?? [];
  }

  /** A payload type by the attributes here. */
  format(payloadType: number): SdpFormat {
    const map = this.ofFormat('rtpmap', payloadType)[0] ?? staticRtpmap(payloadType);
    const [, codec = '', clockRate, channels] =
      /^([^/\s]+)(?:\/(\d{1,6}))?(?:\/(\d{1,2}))?/.exec(map ?? '') ?? [];
    return {
      payloadType,
      codec: codec.toUpperCase(),
      clockRate: Number(clockRate ?? 0),
      channels: Number(channels ?? 1),
      parameters: parametersOf(this.ofFormat('fmtp', payloadType)),
      feedback: [...this.ofFormat('rtcp-fb', payloadType), ...this.ofFormat('rtcp-fb', '*')],
    };
  }

  #cut(places: Places = []): string[] {
    const values: string[] = [];
    for (let at = 0; at < places.length; at += 2)
      values.push(this.#text.slice(places[at], places[at + 1]).trim());
    return values;
  }
}

/** One parsed m= line and the lines below it. */
export class SdpMedia extends SdpSection {
  /** `audio`, `video`, `application`, as written. */
  readonly kind: string;
  /** As written: `9`, `0`, `7078/2`. */
  readonly port: string;
  readonly protocol: string;
  /** As written, each once. */
  readonly formatList: readonly string[];

  /** Takes the m= line whose value is the text from `start` to `end`. @throws the error of `bounds.refuse` */
  constructor(text: string, start: number, end: number, bounds: SdpBounds) {
    super(text);
    const words = text
      .slice(start, end)
      .trim()
      .split(/\s+/, 3 + MAX_FORMATS + 1);
    const [kind = '', port = '', protocol = '', ...formats] = words;
    if (formats.length > MAX_FORMATS) throw bounds.refuse(`more than ${MAX_FORMATS} formats in a media line`);
    this.kind = kind;
    this.port = port;
    this.protocol = protocol;
    this.formatList = [...new Set(formats)];
  }

  /** The payload types among its formats. */
  get payloadTypes(): number[] {
    return this.formatList.filter((text) => /^\d{1,3}$/.test(text)).map(Number);
  }

  /** Its payload types, with their attributes from the lines below. */
  get formats(): SdpFormat[] {
    return this.payloadTypes.map((payloadType) => this.format(payloadType));
  }
}

/** The a=rtpmap value of a payload type with a fixed meaning, such as `PCMU/8000`. */
export function staticRtpmap(payloadType: number): string | undefined {
  return STATIC_FORMATS[payloadType]?.join('/');
}

/** A parsed session description (RFC 8866). */
export interface SdpText {
  readonly session: SdpSection;
  readonly media: readonly SdpMedia[];
}

/**
 * Parses a session description in linear time. Invalid lines are skipped.
 * @throws the error of `bounds.refuse`, as soon as a limit is exceeded.
 */
export function readSdp(text: string, bounds: SdpBounds): SdpText {
  const session = new SdpSection(text);
  const media: SdpMedia[] = [];
  let section = session;
  const feed = finder(text, '\n');
  const carriageReturn = finder(text, '\r');
  const colon = finder(text, ':');
  let at = 0;
  for (let lines = 1; at < text.length; lines++) {
    if (lines > bounds.lines) throw bounds.refuse(`more than ${bounds.lines} lines`);
    const end = Math.min(feed(at), carriageReturn(at));
    while (at < end && text.charCodeAt(at) <= SPACE) at++;
    const value = at + 2;
    if (value <= end && text[at + 1] === '=') {
      const type = text[at]!;
      if (type === 'm') {
        if (media.length === bounds.media) throw bounds.refuse(`more than ${bounds.media} media lines`);
        const line = new SdpMedia(text, value, end, bounds);
        media.push(line);
        section = line;
      } else if (type === 'a') {
        const nameEnd = Math.min(colon(value), end);
        section.addAttribute(text.slice(value, nameEnd).trim(), Math.min(nameEnd + 1, end), end);
      } else section.add(type, value, end);
    }
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
  }
  return { session, media };
}

/** Finds the next position of a character, for growing positions: no part of the text is searched twice. */
function finder(text: string, character: string): (from: number) => number {
  let next = -1;
  return (from) => {
    if (next < from) {
      const found = text.indexOf(character, from);
      next = found < 0 ? text.length : found;
    }
    return next;
  };
}

function append(map: Map<string, Places>, key: string, start: number, end: number): void {
  const places = map.get(key);
  if (places === undefined) map.set(key, [start, end]);
  else places.push(start, end);
}

function indexByFormat(values: readonly string[]): ReadonlyMap<string, string[]> {
  const index = new Map<string, string[]>();
  for (const value of values) {
    let end = 0;
    while (end < value.length && value.charCodeAt(end) > SPACE) end++;
    const key = keyOf(value.slice(0, end));
    const known = index.get(key);
    if (known === undefined) index.set(key, [value.slice(end).trim()]);
    else known.push(value.slice(end).trim());
  }
  return index;
}

/** One spelling for each payload type: `096` is 96. */
function keyOf(head: string): string {
  return head.startsWith('0') && /^\d{2,9}$/.test(head) ? String(Number(head)) : head;
}

/** The parameters of a=fmtp values, by lower-case name. */
export function parametersOf(lines: readonly string[]): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const field of lines.flatMap((line) => line.split(';'))) {
    // Base64 values end with '=': only the first one separates.
    const equals = field.indexOf('=');
    if (equals > 0)
      parameters.set(field.slice(0, equals).trim().toLowerCase(), field.slice(equals + 1).trim());
    else if (field.trim() !== '') parameters.set('', field.trim());
  }
  return parameters;
}

/** A fingerprint of the browser's certificate (RFC 8122), digest in upper-case hex with colons. */
export interface Fingerprint {
  readonly algorithm: 'sha-256' | 'sha-384' | 'sha-512';
  readonly digest: string;
}

/** Reads the value of an a=fingerprint line. @returns undefined if it is unreadable or has a weaker algorithm. */
export function readFingerprint(value: string): Fingerprint[] {
  const match = /^(sha-(?:256|384|512))\s+([0-9a-f]{2}(?::[0-9a-f]{2})+)$/i.exec(value);
  if (match === null) return [];
  return [
    { algorithm: match[1]!.toLowerCase() as Fingerprint['algorithm'], digest: match[2]!.toUpperCase() },
  ];
}
