/** Upper-case hex without blanks, as `bytesToHex` of the contract, by Node's own code: for what comes by the MiB. */
export function upperHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex').toUpperCase();
}

/** Bytes of a text that `hexField` of the contract accepted. */
export function bytesOfHex(hex: string): Uint8Array {
  return Buffer.from(hex.replaceAll(/0x|\\x|[^0-9a-f]/gi, ''), 'hex');
}

/** Numbers, then the words of a pre-release; the part after a `+` does not affect the order (semver.org, 10). */
const PATTERN =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Whether a text is a version such as `1.2.3` or `1.2.3-beta.1` (semver.org). */
export function isSemver(text: string): boolean {
  return PATTERN.test(text);
}

/**
 * Which of two versions is later (semver.org, 11): below 0 when `one` is earlier, 0 when they rank equal.
 * @throws RangeError when one of them is no version
 */
export function compareSemver(one: string, other: string): number {
  const [numbers, words] = partsOf(one);
  const [otherNumbers, otherWords] = partsOf(other);
  for (const [index, number] of numbers.entries()) {
    const difference = number - (otherNumbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A pre-release comes before its release.
  if (words.length === 0 || otherWords.length === 0) return otherWords.length - words.length;
  for (let index = 0; index < Math.max(words.length, otherWords.length); index++) {
    const order = compareWords(words[index], otherWords[index]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Compares numbers by size and before words, words by letters, and the shorter list first. */
function compareWords(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? -1 : 1;
  const isNumber = /^\d+$/.test(one);
  if (isNumber !== /^\d+$/.test(other)) return isNumber ? -1 : 1;
  if (isNumber) return Number(one) - Number(other);
  return one === other ? 0 : one < other ? -1 : 1;
}

function partsOf(text: string): [number[], string[]] {
  const match = PATTERN.exec(text);
  if (match === null) throw new RangeError(`${text} is no version`);
  const [, major, minor, patch, words] = match;
  return [[major, minor, patch].map(Number), words?.split('.') ?? []];
}

/** Environment variable of a setting: `kiosk.debugPort` is FACEPLATE_KIOSK_DEBUG_PORT. */
export function environmentName(key: string): string {
  return `FACEPLATE_${key
    .replaceAll('.', '_')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()}`;
}
