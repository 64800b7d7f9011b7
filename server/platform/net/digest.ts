import { createHash, randomBytes } from 'node:crypto';

// Digest access authentication (RFC 7616, RFC 8760), as cameras and SIP servers ask for it.

/** Algorithms that we answer, the weakest first. */
const ALGORITHMS = [
  { name: 'MD5', hash: 'md5' },
  { name: 'SHA-256', hash: 'sha256' },
  { name: 'SHA-512-256', hash: 'sha512-256' },
] as const;

export type DigestAlgorithm = (typeof ALGORITHMS)[number]['name'];

/** Parameters of a challenge, by lower-case name. */
type Challenge = ReadonlyMap<string, string>;

/** The inputs of a response (RFC 7616 section 3.4). */
interface DigestInput {
  readonly algorithm: DigestAlgorithm;
  readonly username: string;
  readonly realm: string;
  readonly password: string;
  readonly nonce: string;
  readonly method: string;
  readonly uri: string;
  /** Without it the old form of RFC 2069 is used. */
  readonly qop?: { readonly nc: string; readonly cnonce: string } | undefined;
  /** The client's nonce, for the `-sess` form of the algorithm. */
  readonly session?: string | undefined;
}

/** @returns undefined for an algorithm that we do not answer; MD5 if none is named */
export function digestAlgorithm(name = 'MD5'): DigestAlgorithm | undefined {
  const wanted = name.toUpperCase().replace(/^SHA(?=\d)/, 'SHA-');
  return ALGORITHMS.find((algorithm) => algorithm.name === wanted)?.name;
}

function hashed(algorithm: DigestAlgorithm, text: string): string {
  const { hash } = ALGORITHMS.find(({ name }) => name === algorithm)!;
  return createHash(hash).update(text).digest('hex');
}

/** The request-digest of RFC 7616 section 3.4.1 with qop `auth`, or of RFC 2617 without. */
export function digestResponse(input: DigestInput): string {
  const { username, realm, password, nonce, method, uri, qop, session } = input;
  const digest = (text: string): string => hashed(input.algorithm, text);
  const secret = digest(`${username}:${realm}:${password}`);
  const ha1 = session === undefined ? secret : digest(`${secret}:${nonce}:${session}`);
  const ha2 = digest(`${method}:${uri}`);
  return digest(
    qop === undefined ? `${ha1}:${nonce}:${ha2}` : `${ha1}:${nonce}:${qop.nc}:${qop.cnonce}:auth:${ha2}`,
  );
}

/** The algorithm of a challenge, and whether it is meant in its `-sess` form. */
function wantedBy(challenge: Challenge): { algorithm: DigestAlgorithm; isSession: boolean } | undefined {
  const name = challenge.get('algorithm') || 'MD5';
  const isSession = /-sess$/i.test(name);
  const algorithm = digestAlgorithm(name.replace(/-sess$/i, ''));
  return algorithm && { algorithm, isSession };
}

/** The challenge's qop values; an empty list is the old form without qop (RFC 2069). */
function qopsOf(challenge: Challenge): string[] {
  return (challenge.get('qop') ?? '')
    .split(',')
    .map((qop) => qop.toLowerCase().replaceAll(/[^a-z-]/g, ''))
    .filter((qop) => qop !== '');
}

/** How strong a challenge is, from 0; -1 for one that we cannot answer, such as `auth-int` alone. */
export function digestStrength(challenge: Challenge): number {
  const qops = qopsOf(challenge);
  if (!challenge.has('nonce') || (qops.length > 0 && !qops.includes('auth'))) return -1;
  const algorithm = wantedBy(challenge)?.algorithm;
  return ALGORITHMS.findIndex(({ name }) => name === algorithm);
}

/**
 * The header that answers a challenge of at least strength 0.
 * @param use how many requests have answered this nonce, with this one, and the nonce of the client
 */
export function digestAnswer(
  challenge: Challenge,
  { username, password }: { readonly username: string; readonly password: string },
  { method, uri }: { readonly method: string; readonly uri: string },
  { count, cnonce }: { readonly count: number; readonly cnonce: string },
): string {
  const { algorithm, isSession } = wantedBy(challenge)!;
  const [realm, nonce] = [challenge.get('realm') ?? '', challenge.get('nonce') ?? ''];
  const nc = count.toString(16).padStart(8, '0');
  const qop = qopsOf(challenge).length > 0 ? { nc, cnonce } : undefined;
  const session = isSession ? cnonce : undefined;
  const response = digestResponse({ algorithm, username, realm, password, nonce, method, uri, qop, session });
  const hidesUser = challenge.get('userhash')?.toLowerCase() === 'true';
  const fields: [string, string][] = [
    ['username', hidesUser ? hashed(algorithm, `${username}:${realm}`) : username],
    ['realm', realm],
    ['nonce', nonce],
    ['uri', uri],
    ['response', response],
  ];
  if (challenge.get('algorithm')) fields.push(['algorithm', challenge.get('algorithm')!]);
  if (challenge.has('opaque')) fields.push(['opaque', challenge.get('opaque')!]);
  if (qop !== undefined) fields.push(['qop', 'auth'], ['nc', nc]);
  if (qop !== undefined || isSession) fields.push(['cnonce', cnonce]);
  if (hidesUser) fields.push(['userhash', 'true']);
  return formatDigest(fields);
}

/** @returns `Digest name="value", ...`; numbers and algorithm names without quotes. */
export function formatDigest(fields: readonly (readonly [name: string, value: string])[]): string {
  const plain = ['algorithm', 'qop', 'nc', 'stale', 'userhash'];
  const isChallenge = !fields.some(([name]) => name === 'response');
  return `Digest ${fields
    .map(([name, value]) => {
      const isPlain = plain.includes(name) && !(isChallenge && name === 'qop');
      return `${name}=${isPlain ? value : quoted(value)}`;
    })
    .join(', ')}`;
}

/** A quoted string without what could end the line: no value can add a field or a header. */
function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go.
  return `"${text.replaceAll(/[\x00-\x08\x0a-\x1f\x7f]/g, '').replaceAll(/["\\]/g, '\\$&')}"`;
}

/** A new nonce of the client. */
export function newCnonce(): string {
  return randomBytes(16).toString('base64url');
}
