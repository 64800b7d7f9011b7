import { randomBytes } from 'node:crypto';
import type { GcmCipher } from '../../media/driver.ts';
import { splitPayload } from '../../media/rtp/h264.ts';
import {
  type ClockPoint,
  parseFeedback,
  parseSenderReport,
  writeBitrateLimit,
  writePictureLoss,
  writeReception,
  writeSenderReport,
} from '../../media/rtp/rtcp.ts';
import { parseRtpPacket, type RtpPacket } from '../../media/rtp/rtpPacket.ts';
import { type DtlsCertificate, DtlsPeer, fingerprintOf, type SecureMedia } from '../../media/webrtc/dtls.ts';
import type { IcePeer, LoopbackSocket, Path } from '../../media/webrtc/loopbackSocket.ts';
import type { TrackKind } from '../../media/webrtc/peer.ts';
import { SrtpReader } from '../../media/webrtc/srtpReader.ts';
import { SRTP_PAYLOAD_LIMIT, SrtpWriter } from '../../media/webrtc/srtpWriter.ts';
import { type PageLine, parsePageAnswer, writePageOffer } from './pageSdp.ts';

/** Packets kept for retransmission, a power of two. */
const RINGS: Readonly<Record<TrackKind, number>> = { video: 512, audio: 32 };
const MAX_RESENT = 128;

/** What one line of the page carries; the rest of PageLine is the peer's own. */
export type PageFormat = Omit<PageLine, 'ssrc'>;

export interface PagePeerEvents {
  /** ICE and DTLS are done: media can be sent. */
  onReady(): void;
  onAudio(packet: RtpPacket): void;
  onVideo(packet: RtpPacket): void;
  /** The page cannot decode what it has (PLI or FIR). */
  onKeyFrameWanted(): void;
}

export interface PagePeerOptions {
  readonly socket: LoopbackSocket;
  readonly certificate: DtlsCertificate;
  readonly audio: PageFormat;
  readonly video: PageFormat | undefined;
  /** Bit/s of picture that the page may send. */
  readonly bitrate: number;
  readonly events: PagePeerEvents;
}

/** What is heard of one stream of the page, for the receiver reports. */
interface Heard {
  highestSequence: number;
  lastReport: number;
  reportedAt: number;
}

/**
 * Our end of the peer connection with the intercom page, which sends and receives. We offer, as only we know the one
 * codec that the far end speaks; the rest is as for the viewers of cameras: ICE-lite, DTLS passive, AES-128-GCM.
 */
export class PagePeer implements IcePeer {
  readonly localUfrag = randomBytes(6).toString('hex');
  readonly localPassword = randomBytes(18).toString('hex');
  readonly #options: PagePeerOptions;
  readonly #cname = randomBytes(8).toString('hex');
  readonly #ssrcs: Readonly<Record<TrackKind, number>>;
  readonly #heard: Partial<Record<TrackKind, Heard & { ssrc: number }>> = {};
  #remoteUfrag = '';
  #version = 0;
  #dtls: DtlsPeer | undefined;
  #media: SecureMedia | undefined;
  #ciphers: readonly GcmCipher[] = [];
  #reader: SrtpReader | undefined;
  #writers: Readonly<Record<TrackKind, SrtpWriter | undefined>> = { video: undefined, audio: undefined };
  #path: Path | undefined;
  #isClosed = false;

  constructor(options: PagePeerOptions) {
    this.#options = options;
    const video = randomBytes(4).readUInt32BE();
    // Any other number: the two must differ.
    this.#ssrcs = { video, audio: (video + 1 + randomBytes(3).readUIntBE(0, 3)) >>> 0 };
  }

  get remoteUfrag(): string {
    return this.#remoteUfrag;
  }

  /** The offer; a further one of the same connection differs by its version only. */
  offer(): string {
    const { socket, certificate, audio, video } = this.#options;
    return writePageOffer({
      version: ++this.#version,
      port: socket.port,
      iceUfrag: this.localUfrag,
      icePassword: this.localPassword,
      fingerprint: fingerprintOf(certificate),
      cname: this.#cname,
      audio: { ...audio, ssrc: this.#ssrcs.audio },
      video: video && { ...video, ssrc: this.#ssrcs.video },
    });
  }

  /** Takes the page's answer, the first or a further one. @throws FaceplateError INVALID_REQUEST. */
  accept(sdp: string): void {
    const answer = parsePageAnswer(sdp);
    if (this.#dtls !== undefined || this.#isClosed) return;
    const { socket, certificate } = this.#options;
    this.#remoteUfrag = answer.iceUfrag;
    this.#dtls = new DtlsPeer(certificate, answer.fingerprints, {
      send: (datagram) => this.#send(datagram),
      onSecure: (media) => this.#onSecure(media),
      // The page was reloaded or closed it; whoever opens the next one closes this.
      onClosed: () => this.close(),
    });
    socket.attach(this);
  }

  /** Leaves the socket; nothing is sent any more. Safe to call twice. */
  close(): void {
    this.#isClosed = true;
    this.#options.socket.detach(this);
    this.#dtls?.close();
    this.#media = undefined;
    this.#reader = undefined;
    for (const writer of Object.values(this.#writers)) writer?.close();
    this.#writers = { video: undefined, audio: undefined };
    for (const cipher of this.#ciphers) cipher.close();
  }

  get isReady(): boolean {
    return this.#media !== undefined;
  }

  /** Sends one RTP payload; larger ones are split. Nothing happens before `onReady`. */
  sendVideo(timestamp: number, marker: boolean, payload: Buffer): void {
    const parts = splitPayload(payload);
    for (const [index, part] of parts.entries()) {
      this.#write('video', timestamp, marker && index === parts.length - 1, part);
    }
  }

  sendAudio(timestamp: number, marker: boolean, payload: Buffer): void {
    this.#write('audio', timestamp, marker, payload);
  }

  /** So many packets of the far end never came: the page has to know, or it would show a broken picture. */
  skip(kind: TrackKind, count: number): void {
    this.#writers[kind]?.skip(count);
  }

  /** Ties a track's timestamps to the time of day. */
  sendSenderReport(kind: TrackKind, point: ClockPoint): void {
    const writer = this.#writers[kind];
    if (writer === undefined) return;
    this.#sendRtcp(writeSenderReport(writer.ssrc, point, writer.sent, this.#cname));
  }

  /** To be called every second: says what came, and how much picture may be sent. */
  report(): void {
    for (const kind of ['audio', 'video'] as const) {
      const heard = this.#heard[kind];
      if (heard === undefined) continue;
      const since = heard.lastReport === 0 ? 0 : (performance.now() - heard.reportedAt) * 65.536;
      const delay = Math.min(Math.round(since), 0xffffffff);
      const report = writeReception(this.#ssrcs[kind], { ...heard, delay });
      const limit = writeBitrateLimit(this.#ssrcs[kind], heard.ssrc, this.#options.bitrate);
      this.#sendRtcp(kind === 'audio' ? report : Buffer.concat([report, limit]));
    }
  }

  /** Asks the page's camera for a key frame. */
  askForKeyFrame(): void {
    const heard = this.#heard.video;
    if (heard === undefined) return;
    const report = writeReception(this.#ssrcs.video, { ...heard, delay: 0 });
    this.#sendRtcp(Buffer.concat([report, writePictureLoss(this.#ssrcs.video, heard.ssrc)]));
  }

  onCheck(path: Path, nominates: boolean): void {
    if (this.#path === undefined || nominates) this.#path = path;
  }

  onDtls(datagram: Buffer): void {
    this.#dtls?.receive(datagram);
  }

  onSrtp(datagram: Buffer): void {
    const data = this.#reader?.open(datagram);
    const packet = data && parseRtpPacket(data);
    if (data === undefined || packet === undefined) return;
    const { audio, video, events } = this.#options;
    if (packet.payloadType === audio.payloadType) {
      this.#hear('audio', data.readUInt32BE(8), packet.sequence);
      events.onAudio(packet);
    } else if (packet.payloadType === video?.payloadType) {
      this.#hear('video', data.readUInt32BE(8), packet.sequence);
      events.onVideo(packet);
    }
  }

  onSrtcp(datagram: Buffer): void {
    let packet: Buffer | undefined;
    try {
      packet = this.#media?.decryptRtcp(datagram);
    } catch {
      // Not sealed by the page.
    }
    if (packet === undefined) return;
    this.#noteSenderReport(packet);
    for (const feedback of parseFeedback(packet)) {
      if (feedback.ssrc !== this.#ssrcs.video) continue;
      if (feedback.kind === 'nack') this.#resend(feedback.sequences);
      else if (feedback.kind === 'keyFrame') this.#options.events.onKeyFrameWanted();
    }
  }

  #write(kind: TrackKind, timestamp: number, marker: boolean, payload: Buffer): void {
    const writer = this.#writers[kind];
    if (writer === undefined || this.#path === undefined || payload.length > SRTP_PAYLOAD_LIMIT) return;
    const packet = writer.write(timestamp, marker, payload);
    if (kind === 'video') this.#options.socket.sendMedia(packet, this.#path, marker);
    else this.#send(packet);
  }

  #hear(kind: TrackKind, ssrc: number, sequence: number): void {
    const heard = this.#heard[kind];
    if (heard?.ssrc !== ssrc) {
      this.#heard[kind] = { ssrc, highestSequence: sequence, lastReport: 0, reportedAt: 0 };
      return;
    }
    const ahead = ((sequence - heard.highestSequence) << 16) >> 16;
    if (ahead > 0) heard.highestSequence += ahead;
  }

  #noteSenderReport(packet: Buffer): void {
    const point = parseSenderReport(packet);
    if (point === undefined) return;
    const ssrc = packet.readUInt32BE(4);
    for (const heard of Object.values(this.#heard)) {
      if (heard.ssrc !== ssrc) continue;
      heard.lastReport = ((point.ntpSeconds << 16) | (point.ntpFraction >>> 16)) >>> 0;
      heard.reportedAt = performance.now();
    }
  }

  #resend(sequences: readonly number[]): void {
    for (const sequence of sequences.slice(0, MAX_RESENT)) {
      const packet = this.#writers.video?.written(sequence);
      if (packet !== undefined) this.#send(packet);
    }
  }

  #onSecure(media: SecureMedia): void {
    const { driver } = this.#options.socket;
    const sending = driver.createCipher(media.sendKey.key);
    const receiving = driver.createCipher(media.receiveKey.key);
    this.#ciphers = [sending, receiving];
    const writerOf = (kind: TrackKind, { payloadType }: PageFormat): SrtpWriter =>
      new SrtpWriter(
        {
          ssrc: this.#ssrcs[kind],
          payloadType,
          // Not near the end: a loss at an early wrap-around would hide it (RFC 3711 section 3.3.1).
          firstSequence: randomBytes(2).readUInt16BE() & 0x7fff,
          ringSize: RINGS[kind],
        },
        sending,
        media.sendKey.salt,
        this.#options.socket.slabs,
      );
    const { audio, video, events } = this.#options;
    this.#media = media;
    this.#reader = new SrtpReader(receiving, media.receiveKey.salt);
    this.#writers = { audio: writerOf('audio', audio), video: video && writerOf('video', video) };
    events.onReady();
  }

  #sendRtcp(packet: Buffer): void {
    if (this.#media !== undefined) this.#send(this.#media.encryptRtcp(packet));
  }

  #send(datagram: Buffer): void {
    if (this.#path !== undefined && !this.#isClosed) this.#options.socket.send(datagram, this.#path);
  }
}
