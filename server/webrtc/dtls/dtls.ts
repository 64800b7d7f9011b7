import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DtlsClient,
  DtlsServer,
  ProtectionProfileAeadAes128Gcm,
  ProtectionProfileAes128CmHmacSha1_80,
  type RTCCertificate,
  RTCDtlsTransport,
  SrtpSession,
  type Transport,
} from 'werift';
import type { Fingerprint } from '../sdp.ts';
import type { SrtpSessionKey } from '../srtp/srtpWriter.ts';

/** The certificate of this run: its fingerprint is in every answer. */
export type DtlsCertificate = RTCCertificate;

/** The result of a handshake where the viewer knows AES-128-GCM: the session keys (RFC 3711 section 4.3) of all directions. */
interface GcmMedia {
  readonly profile: 'gcm';
  readonly sendKey: SrtpSessionKey;
  readonly receiveKey: SrtpSessionKey;
  readonly sendRtcpKey: SrtpSessionKey;
  readonly receiveRtcpKey: SrtpSessionKey;
}

/** The result where it knows only what all must know (RFC 8827 section 6.5): master keys and salts, 30 bytes each. */
interface AesCmMedia {
  readonly profile: 'aesCm';
  readonly sendMaster: Buffer;
  readonly receiveMaster: Buffer;
}

export type SecureMedia = GcmMedia | AesCmMedia;

interface DtlsEvents {
  send(datagram: Buffer): void;
  onSecure(media: SecureMedia): void;
  /** @param reason for the log. */
  onClosed(reason: string): void;
}

/** A record (RFC 6347 section 4.1): content type, version, epoch, sequence number, length. */
const RECORD_HEADER = 13;
const RECORD_ALERT = 21;
const ALERT_WARNING = 1;
const ALERT_FATAL = 2;
const CLOSE_NOTIFY = 0;
const KEY_LENGTH = 16;
const SALT_LENGTH = 12;
const AES_CM_SALT_LENGTH = 14;
/** The best first: the first that the viewer knows too is taken. */
const PROFILES = [ProtectionProfileAeadAes128Gcm, ProtectionProfileAes128CmHmacSha1_80] as const;
/** Time limit of the handshake with ourselves, in milliseconds. */
const OWN_HANDSHAKE_MS = 5_000;

/** Makes the certificate (ECDSA P-256). */
export function createCertificate(): Promise<DtlsCertificate> {
  return RTCDtlsTransport.SetupCertificate();
}

/** SHA-256 fingerprint of our certificate, as written in an answer. */
export function fingerprintOf(certificate: DtlsCertificate): string {
  return certificate.getFingerprints()[0]!.value;
}

/** werift's transport on top of our own socket. */
export function transportOver(send: (datagram: Buffer) => void): Transport {
  return {
    type: 'udp',
    address: { address: '', family: 'IPv4', port: 0 },
    closed: false,
    onData: () => {},
    send: (datagram) => {
      send(datagram);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

/**
 * The passive end of one viewer's DTLS-SRTP handshake (RFC 5763, RFC 5764): werift's DtlsServer, with the browser's
 * fingerprint checked here because werift does not.
 */
export class DtlsPeer {
  readonly #events: DtlsEvents;
  readonly #fingerprints: readonly Fingerprint[];
  readonly #transport: Transport;
  readonly #server: DtlsServer;
  #state: 'handshake' | 'secure' | 'closed' = 'handshake';

  constructor(certificate: DtlsCertificate, fingerprints: readonly Fingerprint[], events: DtlsEvents) {
    this.#events = events;
    this.#fingerprints = fingerprints;
    this.#transport = transportOver((datagram) => {
      if (this.#state !== 'closed') events.send(datagram);
    });
    this.#server = new DtlsServer({
      cert: certificate.certPem,
      key: certificate.privateKey,
      signatureHash: certificate.signatureHash,
      transport: this.#transport,
      srtpProfiles: [...PROFILES],
      extendedMasterSecret: true,
      certificateRequest: true,
    });
    this.#server.onConnect.subscribe(() => this.#onConnect());
    this.#server.onError.subscribe((error) => this.#end(`DTLS failed: ${error.message}`));
    this.#server.onClose.subscribe(() => this.#end('closed by the viewer'));
  }

  /** Takes a datagram of the viewer; drops broken ones. */
  receive(datagram: Buffer): void {
    if (this.#state === 'closed') return;
    // Once secure, only the viewer's own close alert counts. werift would also accept alerts that look unencrypted, and
    // records of unknown types.
    if (this.#state === 'secure') {
      if (this.#isGoodbye(datagram)) this.#end('closed by the viewer');
      return;
    }
    try {
      this.#transport.onData(datagram, ['127.0.0.1', 0]);
    } catch {
      // werift throws on truncated records.
    }
  }

  /**
   * Says that nothing more will come (close_notify, RFC 5246 section 7.2.1): without it a viewer waits until it misses
   * us. Does nothing before the handshake is done.
   */
  sayGoodbye(): void {
    if (this.#state !== 'secure') return;
    const { dtls, cipher } = this.#server;
    const header = {
      contentType: RECORD_ALERT,
      protocolVersion: dtls.version,
      epoch: dtls.epoch,
      sequenceNumber: ++dtls.recordSequenceNumber,
      contentLen: 2,
    };
    const record = { recordLayerHeader: header, fragment: Buffer.from([ALERT_WARNING, CLOSE_NOTIFY]) };
    const { fragment } = cipher.encryptPacket(record as Parameters<typeof cipher.encryptPacket>[0]);
    const start = Buffer.alloc(RECORD_HEADER);
    start.set([RECORD_ALERT, header.protocolVersion.major, header.protocolVersion.minor]);
    start.writeUInt16BE(header.epoch, 3);
    start.writeUIntBE(header.sequenceNumber, 5, 6);
    start.writeUInt16BE(fragment.length, 11);
    this.#events.send(Buffer.concat([start, fragment]));
  }

  close(): void {
    this.#state = 'closed';
    // werift repeats its flights for half a minute after the viewer is gone, unless it believes that the last one is
    // done.
    this.#server.dtls.flight = Number.MAX_SAFE_INTEGER;
    this.#server.onConnect.allUnsubscribe();
    this.#server.onError.allUnsubscribe();
    this.#server.onClose.allUnsubscribe();
  }

  #onConnect(): void {
    if (this.#state !== 'handshake') return;
    if (!this.#isExpectedViewer()) this.#end('the certificate is not the one of the offer');
    else if (!PROFILES.some((profile) => profile === this.#server.srtp.srtpProfile)) {
      this.#end('the viewer knows SRTP neither with AES-128-GCM nor with AES-128-CM and SHA-1');
    } else {
      this.#state = 'secure';
      this.#events.onSecure(secureMedia(this.#server));
    }
  }

  /** Whether it is an alert that the viewer sealed, and one that ends the connection (RFC 5246 section 7.2). */
  #isGoodbye(datagram: Buffer): boolean {
    if (datagram[0] !== RECORD_ALERT || datagram.length < RECORD_HEADER) return false;
    const epoch = datagram.readUInt16BE(3);
    const length = datagram.readUInt16BE(11);
    if (epoch === 0 || datagram.length < RECORD_HEADER + length) return false;
    const { cipher } = this.#server;
    const record = {
      recordLayerHeader: {
        contentType: RECORD_ALERT,
        protocolVersion: { major: datagram[1]!, minor: datagram[2]! },
        epoch,
        sequenceNumber: datagram.readUIntBE(5, 6),
        contentLen: length,
      },
      fragment: datagram.subarray(RECORD_HEADER, RECORD_HEADER + length),
    };
    try {
      const alert = cipher.decryptPacket(record as Parameters<typeof cipher.decryptPacket>[0]);
      return alert.length === 2 && (alert[0] === ALERT_FATAL || alert[1] === CLOSE_NOTIFY);
    } catch {
      return false;
    }
  }

  #isExpectedViewer(): boolean {
    const certificate = this.#server.remoteCertificate;
    if (certificate === undefined) return false;
    return this.#fingerprints.some(({ algorithm, digest }) => {
      const hex = createHash(algorithm.replace('-', '')).update(certificate).digest('hex').toUpperCase();
      return hex.match(/../g)!.join(':') === digest;
    });
  }

  #end(reason: string): void {
    if (this.#state === 'closed') return;
    this.close();
    this.#events.onClosed(reason);
  }
}

function secureMedia(server: DtlsServer): SecureMedia {
  if (server.srtp.srtpProfile === ProtectionProfileAes128CmHmacSha1_80) {
    const keys = server.extractSessionKeys(KEY_LENGTH, AES_CM_SALT_LENGTH);
    return {
      profile: 'aesCm',
      sendMaster: Buffer.concat([keys.localKey, keys.localSalt]),
      receiveMaster: Buffer.concat([keys.remoteKey, keys.remoteSalt]),
    };
  }
  const exported = server.extractSessionKeys(KEY_LENGTH, SALT_LENGTH);
  const { localContext, remoteContext } = new SrtpSession({
    profile: ProtectionProfileAeadAes128Gcm,
    keys: {
      localMasterKey: exported.localKey,
      localMasterSalt: exported.localSalt,
      remoteMasterKey: exported.remoteKey,
      remoteMasterSalt: exported.remoteSalt,
    },
  });
  return {
    profile: 'gcm',
    sendKey: rtpKey(localContext),
    receiveKey: rtpKey(remoteContext),
    sendRtcpKey: rtcpKey(localContext),
    receiveRtcpKey: rtcpKey(remoteContext),
  };
}

type SessionContext = SrtpSession['localContext'];

const rtpKey = ({ srtpSessionKey, srtpSessionSalt }: SessionContext): SrtpSessionKey => ({
  key: srtpSessionKey,
  salt: srtpSessionSalt.subarray(0, SALT_LENGTH),
});

const rtcpKey = ({ srtcpSessionKey, srtcpSessionSalt }: SessionContext): SrtpSessionKey => ({
  key: srtcpSessionKey,
  salt: srtcpSessionSalt.subarray(0, SALT_LENGTH),
});

/**
 * Runs one handshake with ourselves.
 * @returns whether it completed.
 */
async function shakeHandsWithOurselves(certificate: DtlsCertificate): Promise<boolean> {
  const credentials = {
    cert: certificate.certPem,
    key: certificate.privateKey,
    signatureHash: certificate.signatureHash,
    srtpProfiles: [ProtectionProfileAeadAes128Gcm] as [typeof ProtectionProfileAeadAes128Gcm],
    extendedMasterSecret: true,
  };
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const ours = certificate.getFingerprints().map(
    ({ value }): Fingerprint => ({
      algorithm: 'sha-256',
      digest: value.toUpperCase(),
    }),
  );
  const clientTransport = transportOver((datagram) => setImmediate(() => server.receive(datagram)));
  const server = new DtlsPeer(certificate, ours, {
    send: (datagram) => setImmediate(() => clientTransport.onData(datagram, ['127.0.0.1', 0])),
    onSecure: () => resolve(true),
    onClosed: () => resolve(false),
  });
  const client = new DtlsClient({ ...credentials, transport: clientTransport });
  client.onError.subscribe(() => resolve(false));
  client.connect().catch(() => resolve(false));
  const timer = setTimeout(resolve, OWN_HANDSHAKE_MS, false);
  const isSecure = await promise;
  clearTimeout(timer);
  server.close();
  client.dtls.flight = Number.MAX_SAFE_INTEGER;
  return isSecure;
}

/** After this many handshakes the code is compiled: in a measurement they took 27, 8, 5, 4 and 3 ms of the service. */
const HANDSHAKES = 5;
/** Pause between two handshakes, in milliseconds: other parts start at the same time. */
const PAUSE_MS = 1_000;

/**
 * Runs handshakes with ourselves, so that the first viewers do not wait for cold code. It never fails for a caller; at
 * worst the first viewers wait a little longer.
 * @param signal ends it.
 * @returns how many handshakes completed.
 */
export async function warmUp(certificate: DtlsCertificate, signal: AbortSignal): Promise<number> {
  let done = 0;
  for (let turn = 0; turn < HANDSHAKES && !signal.aborted; turn++) {
    if (await shakeHandsWithOurselves(certificate)) done++;
    // Rejects when it is aborted.
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
  }
  return done;
}
