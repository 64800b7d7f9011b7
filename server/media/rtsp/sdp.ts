/** One payload type of a media line. */
export interface MediaFormat {
  readonly payloadType: number;
  /** Encoding name in upper case, such as H264 or PCMU; empty when the camera does not say. */
  readonly codec: string;
  /** Ticks per second of the RTP timestamp. */
  readonly clockRate: number;
  readonly channels: number;
  /** Parameters of a=fmtp by lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** One media line of a camera's description. */
export interface MediaDescription {
  /** `video`, `audio`, `application` ... */
  readonly kind: string;
  readonly formats: readonly MediaFormat[];
  /** As the camera wrote it: absolute, relative, `*` or empty. */
  readonly control: string;
}

export interface SessionDescription {
  readonly media: readonly MediaDescription[];
  readonly control: string;
}

/** Payload types with a fixed meaning that cameras use without a=rtpmap (RFC 3551 section 6). */
const STATIC_FORMATS: Readonly<Record<number, readonly [codec: string, clockRate: number]>> = {
  0: ['PCMU', 8000],
  8: ['PCMA', 8000],
  9: ['G722', 8000],
  14: ['MPA', 90_000],
  26: ['JPEG', 90_000],
  32: ['MPV', 90_000],
  33: ['MP2T', 90_000],
};

interface MutableFormat {
  payloadType: number;
  codec: string;
  clockRate: number;
  channels: number;
  parameters: Map<string, string>;
}

/** Reads a camera's session description (RFC 8866); lines it does not know are left out, nothing throws. */
export function parseSessionDescription(text: string): SessionDescription {
  const media: { kind: string; formats: MutableFormat[]; control: string }[] = [];
  let control = '';
  for (const raw of text.split(/\r\n|\n|\r/)) {
    const line = raw.trim();
    if (line.startsWith('m=')) {
      const [kind = '', , , ...payloadTypes] = line.slice(2).split(/\s+/);
      media.push({ kind: kind.toLowerCase(), formats: payloadTypes.map(newFormat), control: '' });
      continue;
    }
    const attribute = /^a=([A-Za-z-]+):(.*)$/.exec(line);
    if (attribute === null) continue;
    const [, name, value] = attribute as unknown as [string, string, string];
    const current = media.at(-1);
    if (name === 'control') {
      if (current === undefined) control = value.trim();
      else current.control = value.trim();
    } else if (name === 'rtpmap') readRtpmap(current?.formats, value);
    else if (name === 'fmtp') readFmtp(current?.formats, value);
  }
  return { media, control };
}

function newFormat(text: string): MutableFormat {
  const payloadType = Number(text);
  const [codec, clockRate] = STATIC_FORMATS[payloadType] ?? ['', 0];
  return { payloadType, codec, clockRate, channels: 1, parameters: new Map() };
}

function readRtpmap(formats: MutableFormat[] | undefined, value: string): void {
  const match = /^(\d+)\s+([^/\s]+)(?:\/(\d+))?(?:\/(\d+))?/.exec(value.trim());
  const format = formats?.find((candidate) => candidate.payloadType === Number(match?.[1]));
  if (match === null || format === undefined) return;
  format.codec = match[2]!.toUpperCase();
  format.clockRate = Number(match[3] ?? format.clockRate);
  format.channels = Number(match[4] ?? 1);
}

function readFmtp(formats: MutableFormat[] | undefined, value: string): void {
  const match = /^(\d+)\s+(.*)$/.exec(value.trim());
  const format = formats?.find((candidate) => candidate.payloadType === Number(match?.[1]));
  if (match === null || format === undefined) return;
  for (const field of match[2]!.split(';')) {
    const equals = field.indexOf('=');
    // Base64 values end with '=': only the first one separates.
    if (equals > 0)
      format.parameters.set(field.slice(0, equals).trim().toLowerCase(), field.slice(equals + 1).trim());
  }
}

/**
 * The address of a control attribute (RFC 2326 section C.1.1): absolute as it stands, else appended to the base,
 * also behind a query string, as cameras with `?channel=1` addresses expect.
 */
export function resolveControl(base: string, control: string): string {
  if (control === '' || control === '*') return base;
  const clean = control.replaceAll(/\s/g, '%20');
  if (/^rtsps?:\/\//i.test(clean)) return withoutLogin(clean);
  return base + (base.endsWith('/') || clean.startsWith('/') ? '' : '/') + clean;
}

/** Removes `user:password@`: it is sent in the Authorization header only. */
export function withoutLogin(url: string): string {
  return url.replace(/^(rtsps?:\/\/)[^/?#]*@/i, '$1');
}
