import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { GcmCipher, MediaDriver } from './driver.ts';

const ALGORITHM = 'aes-128-gcm';
const TAG = 16;

/** The key is imported once: passing the raw bytes to every cipher costs more than the encryption itself. */
class NodeGcmCipher implements GcmCipher {
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  seal(iv: Buffer, packet: Buffer, start: number, payload: Buffer): void {
    const cipher = createCipheriv(ALGORITHM, this.#key, iv);
    cipher.setAAD(packet.subarray(0, start));
    packet.set(cipher.update(payload), start);
    cipher.final();
    packet.set(cipher.getAuthTag(), start + payload.length);
  }

  open(iv: Buffer, packet: Buffer, start: number): Buffer | undefined {
    const end = packet.length - TAG;
    if (end < start) return undefined;
    const decipher = createDecipheriv(ALGORITHM, this.#key, iv, { authTagLength: TAG });
    decipher.setAAD(packet.subarray(0, start));
    decipher.setAuthTag(packet.subarray(end));
    const opened = Buffer.allocUnsafe(end);
    packet.copy(opened, 0, 0, start);
    opened.set(decipher.update(packet.subarray(start, end)), start);
    try {
      decipher.final();
      return opened;
    } catch {
      return undefined;
    }
  }

  close(): void {}
}

/** Media with Node's own functions only. */
export const portableDriver: MediaDriver = {
  createCipher: (key) => new NodeGcmCipher(key),
  openBurstSocket: () => undefined,
};
