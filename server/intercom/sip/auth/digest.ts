import { createHash } from 'node:crypto';
import { type Params, parseParams, quoted, splitOutside } from '../message/syntax.ts';

/** Digest algorithms, the weakest first (RFC 8760 section 2.1). */
export const ALGORITHMS = [
  { name: 'MD5', hash: 'md5' },
  { name: 'SHA-256', hash: 'sha256' },
  { name: 'SHA-512-256', hash: 'sha512-256' },
] as const;

export type Algorithm = (typeof ALGORITHMS)[number]['name'];

/** The inputs of a response (RFC 7616 section 3.4). */
interface DigestInput {
  readonly algorithm: Algorithm;
  readonly username: string;
  readonly realm: string;
  readonly password: string;
  readonly nonce: string;
  readonly method: string;
  readonly uri: string;
  /** Without it the old form of RFC 2069 is used. */
  readonly qop?: { readonly nc: string; readonly cnonce: string };
}

/** The request-digest of RFC 7616 section 3.4.1 with qop `auth`, or of RFC 2617 without. */
export function digestResponse(input: DigestInput): string {
  const { hash } = ALGORITHMS.find(({ name }) => name === input.algorithm)!;
  const digest = (text: string): string => createHash(hash).update(text).digest('hex');
  const ha1 = digest(`${input.username}:${input.realm}:${input.password}`);
  const ha2 = digest(`${input.method}:${input.uri}`);
  const { qop, nonce } = input;
  return digest(
    qop === undefined ? `${ha1}:${nonce}:${ha2}` : `${ha1}:${nonce}:${qop.nc}:${qop.cnonce}:auth:${ha2}`,
  );
}

/** @returns undefined for an unsupported algorithm; MD5 if none is named. */
export function algorithmOf(params: Params): Algorithm | undefined {
  const wanted = (params.get('algorithm') ?? 'MD5').toUpperCase();
  return ALGORITHMS.find(({ name }) => name === wanted)?.name;
}

/** Reads `Digest name="value", ...`. @returns undefined for another scheme or a malformed one. */
export function parseDigest(value: string): Params | undefined {
  const text = /^\s*Digest\s+(.*)$/is.exec(value)?.[1];
  const parts = text === undefined ? undefined : splitOutside(text, ',');
  // The fields have the syntax of parameters, but with commas between them.
  return parts === undefined ? undefined : parseParams(parts.filter((part) => part !== '').join(';'));
}

/** @returns `Digest name="value", ...`; numbers and algorithm names without quotes. */
export function formatDigest(fields: readonly (readonly [name: string, value: string])[]): string {
  const plain = ['algorithm', 'qop', 'nc', 'stale'];
  const isChallenge = !fields.some(([name]) => name === 'response');
  return `Digest ${fields
    .map(([name, value]) => {
      const isPlain = plain.includes(name) && !(isChallenge && name === 'qop');
      return `${name}=${isPlain ? value : quoted(value)}`;
    })
    .join(', ')}`;
}
