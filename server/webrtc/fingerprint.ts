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
