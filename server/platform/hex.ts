/** Upper-case hex without blanks, as `bytesToHex` of the contract, by Node's own code: for what comes by the MiB. */
export function upperHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex').toUpperCase();
}

/** Bytes of a text that `hexField` of the contract accepted. */
export function bytesOfHex(hex: string): Uint8Array {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex');
}
