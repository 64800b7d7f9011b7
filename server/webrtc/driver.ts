import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';

/** AES-128-GCM under one key with tags of 16 bytes (NIST SP 800-38D), for packets of RFC 7714. */
export interface GcmCipher {
  /** The initialization vector of the next call, 12 bytes, which the caller fills: for `seal` never the same twice. */
  readonly iv: Buffer;
  /**
   * Encrypts a packet in its place in `memory`: authenticates the `start` bytes from `at` on as they are, encrypts the
   * `length` bytes behind them, and writes the tag behind those.
   * @param memory best the same for many packets: to find out where it is costs time.
   * @throws RangeError when the packet and its tag are not inside the memory.
   */
  seal(memory: Buffer, at: number, start: number, length: number): void;
  /**
   * Decrypts a whole `packet` that `seal` wrote, whose first `start` bytes are not encrypted.
   * @returns a new buffer, the packet without its tag; undefined if it was not sealed with this key and `iv`.
   */
  open(packet: Buffer, start: number): Buffer | undefined;
  /** Drops the key; no other call is allowed afterwards. Safe to call twice. */
  close(): void;
}

/** An IPv4 address and a port. */
export interface UdpAddress {
  readonly address: string;
  readonly port: number;
}

/** A UDP socket on 127.0.0.1 that sends many datagrams by one system call. The owner of `fd` closes it. */
export interface BurstSocket {
  readonly fd: number;
  /**
   * Sends datagrams to one address, in order.
   * @returns how many were sent before the system accepted no more.
   * @throws an errno exception if sending is not possible at all.
   */
  send(datagrams: readonly Buffer[], to: UdpAddress): number;
}

/**
 * The system functions that media needs where Node alone is slow. Each can be replaced by Node alone
 * (`portableDriver`).
 */
export interface MediaDriver {
  /** @param key 16 bytes. */
  createCipher(key: Buffer): GcmCipher;
  /** @returns undefined if each datagram must be sent separately. @throws an errno exception */
  openBurstSocket(): BurstSocket | undefined;
}

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
