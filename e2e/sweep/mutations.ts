/** Longest mutated input, in bytes: as much as one message of a stream may have. */
const MAX_BYTES = 64 * 1024;
/** Changes of one input, and bytes that one change removes or inserts. */
const MAX_CHANGES = 5;
const MAX_PIECE = 40;
/** How often a piece is repeated at most: enough to show quadratic costs. */
const MAX_TIMES = 400;

/** Pieces of texts of all these protocols, and what breaks them. */
const PIECES = [
  ...[
    '\r\n',
    '\r\n\r\n',
    '\n',
    ' ',
    ';',
    ',',
    '<',
    '>',
    '"',
    '\\',
    '%00',
    '%',
    '@',
    ':',
    '=',
    '/',
    '../',
    '\0',
  ],
  ...['-1', '0', '65536', '4294967296', '1e9', 'NaN', '__proto__', 'constructor', '[', ']', '{', '}', 'null'],
  ...[
    '\r\n ',
    '\ufeff',
    '\ud83d',
    'é',
    'a=',
    'm=video 9 RTP/AVP 96',
    'Digest ',
    'SIP/2.0',
    'RTSP/1.0 200 OK\r\n',
  ],
].map((text) => Buffer.from(text));

/** A message with some bytes replaced, inserted, removed, repeated or cut off; sometimes just random bytes. */
export function mutated(messages: readonly Buffer[], random: () => number): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit);
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(256)));
  if (below(20) === 0) return bytes(below(300));
  let data = messages[below(messages.length)]!;
  for (let change = below(MAX_CHANGES); change >= 0; change--) {
    const at = below(data.length + 1);
    const end = Math.min(data.length, at + below(MAX_PIECE));
    const [head, piece, tail] = [data.subarray(0, at), data.subarray(at, end), data.subarray(end)];
    const parts = [
      () => [head, bytes(piece.length), tail],
      () => [head, tail],
      () => [head, PIECES[below(PIECES.length)]!, piece, tail],
      () => [head, PIECES[below(PIECES.length)]!, tail],
      () => [head, piece, ...Array<Buffer>(below(4)).fill(piece), tail],
      () => [head, ...Array<Buffer>(below(50) === 0 ? below(MAX_TIMES) : 2).fill(piece), tail],
      () => [head],
    ];
    data = Buffer.concat(parts[below(parts.length)]!()).subarray(0, MAX_BYTES);
  }
  return data;
}

/** Values that no caller sends on purpose. */
const ODD: readonly unknown[] = [
  ...[null, true, -1, 1.5, 1e308, 2 ** 53, '', ' ', '__proto__', 'http://[::1]:0/%00', 'é\ud83d'],
  ...[[], {}, [[]], { length: -1 }, 'x'.repeat(3_000), Array(500).fill(0)],
];

/** JSON of a value in which one or two places hold another value, or are gone; sometimes with broken bytes. */
export function mutatedJson(values: readonly unknown[], random: () => number): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit);
  const changed = (value: unknown): unknown => {
    const isLeaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
    if (isLeaf || below(6) === 0)
      return typeof value === 'string' && below(2) === 0
        ? mutated([Buffer.from(value)], random).toString('utf8')
        : ODD[below(ODD.length)];
    const keys = Object.keys(value);
    const key = keys[below(keys.length)]!;
    const copy = structuredClone(value) as Record<string, unknown>;
    const change = below(8);
    if (change === 0) delete copy[key];
    else if (change === 1) copy[ODD_KEYS[below(ODD_KEYS.length)]!] = copy[key];
    else copy[key] = changed(copy[key]);
    return copy;
  };
  let value = values[below(values.length)];
  for (let change = below(2); change >= 0; change--) value = changed(value);
  const text = Buffer.from(JSON.stringify(value) ?? '');
  return below(4) === 0 ? mutated([text], random) : text;
}

const ODD_KEYS = ['__proto__', 'constructor', 'toString', '', '0', 'x'.repeat(300)];

/** Cuts an input into pieces, as a network does. */
export function pieces(data: Buffer, random: () => number): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < data.length; ) {
    const size = 1 + Math.floor(random() * Math.max(1, data.length / 3));
    found.push(data.subarray(at, at + size));
    at += size;
  }
  return found;
}
