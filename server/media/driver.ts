/** AES-128-GCM under one key with tags of 16 bytes (NIST SP 800-38D), for packets of RFC 7714. */
export interface GcmCipher {
  /**
   * Encrypts `payload` into `packet`, behind its first `start` bytes, and puts the tag behind it. The first bytes are
   * authenticated as they are.
   * @param iv 12 bytes, never the same twice.
   * @throws RangeError when the packet has no room for payload and tag.
   */
  seal(iv: Buffer, packet: Buffer, start: number, payload: Buffer): void;
  /**
   * Opens what `seal` wrote into the whole of `packet`.
   * @returns the packet in the clear, without its tag; undefined when it was not sealed under this key and `iv`.
   */
  open(iv: Buffer, packet: Buffer, start: number): Buffer | undefined;
  /** Forgets the key; nothing else may be called afterwards. Safe to call twice. */
  close(): void;
}

/** An IPv4 address and a port. */
export interface UdpAddress {
  readonly address: string;
  readonly port: number;
}

/** A UDP socket on 127.0.0.1 that sends many datagrams by one system call. Whoever takes `fd` closes it. */
export interface BurstSocket {
  readonly fd: number;
  /**
   * Sends datagrams to one address, in order.
   * @returns how many were sent: the system takes no more just now.
   * @throws an errno exception when it cannot be done at all.
   */
  send(datagrams: readonly Buffer[], to: UdpAddress): number;
}

/** What media needs of the system where Node's own way is slow. Every part may be had by Node alone (portableDriver.ts). */
export interface MediaDriver {
  /** @param key 16 bytes. */
  createCipher(key: Buffer): GcmCipher;
  /** @returns undefined where each datagram has to be sent by itself. @throws an errno exception */
  openBurstSocket(): BurstSocket | undefined;
}
