import { randomBytes } from 'node:crypto';
import type { GcmCipher } from './driver.ts';
import { type DtlsCertificate, DtlsPeer, fingerprintOf, type SecureMedia } from './dtls/dtls.ts';
import type { IcePeer, LoopbackSocket, Path } from './ice/loopbackSocket.ts';
import { type ClockPoint, type Feedback, parseFeedback } from './rtp/rtcp.ts';
import type { Fingerprint } from './sdp.ts';
import { AesCmSession, aesCmCipher, CRYPTO_SUITES } from './srtp/aesCm.ts';
import { SrtcpSession } from './srtp/srtcp.ts';
import { SrtpReader } from './srtp/srtpReader.ts';
import { type SenderTrack, SrtpSender, type TrackKind } from './srtp/srtpSender.ts';

/** Datagrams of a handshake that may wait for the browser's answer; a browser's first flight has one or two. */
const MAX_EARLY = 8;
/** For a viewer that knows nothing better. */
const AES_CM = 'AES_CM_128_HMAC_SHA1_80';

interface ConnectionEvents {
  /** ICE and DTLS are done: media can be sent. */
  onReady(): void;
  /** The browser's feedback about the video it receives. */
  onFeedback(feedback: Feedback): void;
  /** RTP from the browser, decrypted; without this handler none is read. */
  onRtp?(packet: Buffer): void;
  /** RTCP from the browser, decrypted, before its feedback. */
  onRtcp?(packet: Buffer): void;
  /** The browser ended it or the handshake failed; called at most once, never after `close`. @param reason for the log */
  onClosed(reason: string): void;
}

interface ConnectionOptions {
  readonly socket: LoopbackSocket;
  readonly certificate: DtlsCertificate;
  /** The tracks to send; a missing track cannot be written. */
  readonly tracks: Readonly<Record<TrackKind, SenderTrack | undefined>>;
  /** Retransmissions for each feedback packet; more would only feed the congestion that caused them. */
  readonly maxResent: number;
  readonly events: ConnectionEvents;
}

/** Our end, for an offer or an answer. */
export interface ConnectionPlace {
  readonly port: number;
  /** A further address of this machine that takes the viewer, and its port. */
  readonly host?: { readonly address: string; readonly port: number } | undefined;
  readonly iceUfrag: string;
  readonly icePassword: string;
  /** SHA-256 of our certificate. */
  readonly fingerprint: string;
  /** Ties the tracks together for lip-sync. */
  readonly cname: string;
}

/**
 * One browser on the shared socket: ICE-lite, DTLS passive, SRTP with AES-128-GCM both ways, and retransmission of
 * video packets. Camera viewers and the intercom page are built on it.
 */
export class WebRtcConnection implements IcePeer {
  readonly localUfrag = randomBytes(6).toString('hex');
  readonly localPassword = randomBytes(18).toString('hex');
  readonly #options: ConnectionOptions;
  readonly #sender = new SrtpSender();
  #remoteUfrag: string | undefined;
  #dtls: DtlsPeer | undefined;
  /** The start of the handshake, while the browser's fingerprint is not known. */
  readonly #early: Buffer[] = [];
  #srtcp: Pick<SrtcpSession, 'seal' | 'open' | 'close'> | undefined;
  #receivingCipher: GcmCipher | undefined;
  #reader: Pick<SrtpReader, 'open'> | undefined;
  #path: Path | undefined;
  #host: ConnectionPlace['host'];
  #heardAt = performance.now();
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get remoteUfrag(): string | undefined {
    return this.#remoteUfrag;
  }

  /** SSRCs of the tracks that are sent. */
  get ssrcs(): Readonly<Record<TrackKind, number>> {
    return this.#sender.ssrcs;
  }

  get place(): ConnectionPlace {
    const { socket, certificate } = this.#options;
    return {
      port: socket.port,
      host: this.#host,
      iceUfrag: this.localUfrag,
      icePassword: this.localPassword,
      fingerprint: fingerprintOf(certificate),
      cname: this.#sender.cname,
    };
  }

  /** When the browser was last heard, on the clock of `performance.now()`. */
  get heardAt(): number {
    return this.#heardAt;
  }

  get isReady(): boolean {
    return this.#srtcp !== undefined;
  }

  /** Whether datagrams pile up on the way to it. */
  get isCongested(): boolean {
    return this.#path !== undefined && this.#options.socket.isCongested(this.#path);
  }

  /** Lets the viewer connect at an own IPv4 address of this machine too; before `accept`. Without effect where the system does not. */
  async openHost(address: string): Promise<void> {
    const port = this.#isClosed ? undefined : await this.#options.socket.openHost(this, address);
    if (port !== undefined) this.#host = { address, port };
  }

  /**
   * Attaches to the socket. Call it before an offer of ours goes out: a browser begins to connect before we have its
   * answer, and would wait 50 ms before it tries again.
   */
  listen(): void {
    if (!this.#isClosed) this.#options.socket.attach(this);
  }

  /** Attaches to the socket and takes the browser described here. Only the first call counts. */
  accept(remote: { readonly iceUfrag: string; readonly fingerprints: readonly Fingerprint[] }): void {
    if (this.#dtls !== undefined || this.#isClosed) return;
    this.#remoteUfrag = remote.iceUfrag;
    this.#dtls = new DtlsPeer(this.#options.certificate, remote.fingerprints, {
      send: (datagram) => this.#send(datagram),
      onSecure: (media) => this.#onSecure(media),
      onClosed: (reason) => this.#end(reason),
    });
    this.listen();
    for (const datagram of this.#early.splice(0)) this.#dtls.receive(datagram);
  }

  /** Tells the browser that nothing more will come; before `close`. Does nothing before `onReady`. */
  sayGoodbye(): void {
    this.#dtls?.sayGoodbye();
  }

  /** Leaves the socket; sends nothing more. Safe to call twice. */
  close(): void {
    this.#isClosed = true;
    this.#options.socket.detach(this);
    this.#dtls?.close();
    this.#srtcp?.close();
    this.#srtcp = undefined;
    this.#reader = undefined;
    this.#sender.close();
    this.#receivingCipher?.close();
  }

  /**
   * Sends one RTP payload of at most PAYLOAD_LIMIT bytes; packets of one picture go out together. Does nothing before
   * `onReady`, or for a track that is not sent.
   */
  sendMedia(kind: TrackKind, timestamp: number, marker: boolean, payload: Buffer): void {
    if (this.#path === undefined) return;
    const packet = this.#sender.write(kind, timestamp, marker, payload);
    if (packet === undefined) return;
    if (kind === 'video') this.#options.socket.sendMedia(packet, this.#path, marker);
    else this.#send(packet);
  }

  /** Another header extension from the next packet on, of the same length; only for a track that has one. */
  extend(kind: TrackKind, extension: Buffer): void {
    this.#sender.extend(kind, extension);
  }

  /** Skips sequence numbers, so that the browser knows about packets that are already lost. */
  skip(kind: TrackKind, count: number): void {
    this.#sender.skip(kind, count);
  }

  /** Packets and payload bytes sent so far on a track. */
  sent(kind: TrackKind): { packets: number; octets: number } {
    return this.#sender.sent(kind);
  }

  /** Ties a track's timestamps to the time of day. */
  sendSenderReport(kind: TrackKind, point: ClockPoint): void {
    const report = this.#sender.report(kind, point);
    if (report !== undefined) this.sendRtcp(report);
  }

  /** Encrypts and sends an RTCP packet; does nothing before `onReady`. */
  sendRtcp(packet: Buffer): void {
    if (this.#srtcp !== undefined) this.#send(this.#srtcp.seal(packet));
  }

  /** Whether a video packet is too old to be sent again. */
  hasForgotten(sequence: number): boolean {
    return this.#sender.hasForgotten(sequence);
  }

  /** Sends video packets again. */
  resend(sequences: readonly number[]): void {
    for (const sequence of sequences.slice(0, this.#options.maxResent)) {
      const packet = this.#sender.written(sequence);
      if (packet !== undefined) this.#send(packet);
    }
  }

  onCheck(path: Path, nominates: boolean): void {
    this.#heardAt = performance.now();
    if (this.#path === undefined || nominates) this.#path = path;
  }

  onDtls(datagram: Buffer): void {
    this.#heardAt = performance.now();
    if (this.#dtls !== undefined) this.#dtls.receive(datagram);
    else if (this.#early.length < MAX_EARLY) this.#early.push(datagram);
  }

  onSrtp(datagram: Buffer): void {
    const packet = this.#reader?.open(datagram);
    if (packet !== undefined) this.#options.events.onRtp?.(packet);
  }

  onSrtcp(datagram: Buffer): void {
    const packet = this.#srtcp?.open(datagram);
    // Not from this browser, so not a sign of life either.
    if (packet === undefined) return;
    this.#heardAt = performance.now();
    const { events } = this.#options;
    events.onRtcp?.(packet);
    for (const feedback of parseFeedback(packet)) {
      if (feedback.ssrc === this.ssrcs.video) events.onFeedback(feedback);
    }
  }

  #onSecure(media: SecureMedia): void {
    const { socket, tracks, events } = this.#options;
    if (media.profile === 'aesCm') {
      const sending = new AesCmSession(AES_CM, media.sendMaster);
      const receiving = new AesCmSession(AES_CM, media.receiveMaster);
      this.#srtcp = {
        seal: (packet) => sending.protectRtcp(packet),
        open: (packet) => receiving.unprotectRtcp(packet),
        close: () => {},
      };
      if (events.onRtp !== undefined) this.#reader = { open: (packet) => receiving.unprotectRtp(packet) };
      const tagLength = CRYPTO_SUITES[AES_CM];
      this.#sender.open(socket.slabs, { cipher: aesCmCipher(sending), tagLength }, tracks);
      events.onReady();
      return;
    }
    this.#srtcp = new SrtcpSession(socket.driver, media.sendRtcpKey, media.receiveRtcpKey);
    if (events.onRtp !== undefined) {
      this.#receivingCipher = socket.driver.createCipher(media.receiveKey.key);
      this.#reader = new SrtpReader(this.#receivingCipher, media.receiveKey.salt);
    }
    const cipher = socket.driver.createCipher(media.sendKey.key);
    this.#sender.open(socket.slabs, { cipher, salt: media.sendKey.salt }, tracks);
    events.onReady();
  }

  #send(datagram: Buffer): void {
    if (this.#path !== undefined && !this.#isClosed) this.#options.socket.send(datagram, this.#path);
  }

  #end(reason: string): void {
    if (this.#isClosed) return;
    this.close();
    this.#options.events.onClosed(reason);
  }
}
