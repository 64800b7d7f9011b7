import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { GcmCipher, MediaDriver } from './driver.ts';

const ALGORITHM = 'aes-128-gcm';
const IV = 12;
const TAG = 16;

/** The key is imported once: passing the raw bytes to every cipher costs more than the encryption itself. */
class NodeGcmCipher implements GcmCipher {
  readonly iv = Buffer.alloc(IV);
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  seal(memory: Buffer, at: number, start: number, length: number): void {
    const body = at + start;
    const end = body + length;
    if (!(at >= 0 && start >= 0 && length >= 0 && end + TAG <= memory.length)) {
      throw new RangeError('the packet does not fit into the memory');
    }
    const cipher = createCipheriv(ALGORITHM, this.#key, this.iv);
    cipher.setAAD(memory.subarray(at, body));
    memory.set(cipher.update(memory.subarray(body, end)), body);
    cipher.final();
    memory.set(cipher.getAuthTag(), end);
  }

  open(packet: Buffer, start: number): Buffer | undefined {
    const end = packet.length - TAG;
    if (end < start) return undefined;
    const decipher = createDecipheriv(ALGORITHM, this.#key, this.iv, { authTagLength: TAG });
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
