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
} from '../../media/rtp/rtcp.ts';
import { parseRtpPacket, type RtpPacket } from '../../media/rtp/rtpPacket.ts';
import { type DtlsCertificate, DtlsPeer, fingerprintOf, type SecureMedia } from '../../media/webrtc/dtls.ts';
import type { IcePeer, LoopbackSocket, Path } from '../../media/webrtc/loopbackSocket.ts';
import { SrtpReader } from '../../media/webrtc/srtpReader.ts';
import { SrtpSender, type TrackKind } from '../../media/webrtc/srtpSender.ts';
import { type PageLine, parsePageAnswer, writePageOffer } from './pageSdp.ts';

/** Packets kept for retransmission, a power of two. */
const VIDEO_RING = 512;
const AUDIO_RING = 32;
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
  readonly #sender = new SrtpSender();
  readonly #heard: Partial<Record<TrackKind, Heard & { ssrc: number }>> = {};
  #remoteUfrag = '';
  #version = 0;
  #dtls: DtlsPeer | undefined;
  #media: SecureMedia | undefined;
  #receivingCipher: GcmCipher | undefined;
  #reader: SrtpReader | undefined;
  #path: Path | undefined;
  #isClosed = false;

  constructor(options: PagePeerOptions) {
    this.#options = options;
  }

  get remoteUfrag(): string {
    return this.#remoteUfrag;
  }

  /** The offer; a further one of the same connection differs by its version only. */
  offer(): string {
    const { socket, certificate, audio, video } = this.#options;
    const { cname, ssrcs } = this.#sender;
    return writePageOffer({
      version: ++this.#version,
      port: socket.port,
      iceUfrag: this.localUfrag,
      icePassword: this.localPassword,
      fingerprint: fingerprintOf(certificate),
      cname,
      audio: { ...audio, ssrc: ssrcs.audio },
      video: video && { ...video, ssrc: ssrcs.video },
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
    this.#sender.close();
    this.#receivingCipher?.close();
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
    this.#sender.skip(kind, count);
  }

  /** Ties a track's timestamps to the time of day. */
  sendSenderReport(kind: TrackKind, point: ClockPoint): void {
    const report = this.#sender.report(kind, point);
    if (report !== undefined) this.#sendRtcp(report);
  }

  /** To be called every second: says what came, and how much picture may be sent. */
  report(): void {
    const { ssrcs } = this.#sender;
    for (const kind of ['audio', 'video'] as const) {
      const heard = this.#heard[kind];
      if (heard === undefined) continue;
      const since = heard.lastReport === 0 ? 0 : (performance.now() - heard.reportedAt) * 65.536;
      const delay = Math.min(Math.round(since), 0xffffffff);
      const report = writeReception(ssrcs[kind], { ...heard, delay });
      const limit = writeBitrateLimit(ssrcs[kind], heard.ssrc, this.#options.bitrate);
      this.#sendRtcp(kind === 'audio' ? report : Buffer.concat([report, limit]));
    }
  }

  /** Asks the page's camera for a key frame. */
  askForKeyFrame(): void {
    const heard = this.#heard.video;
    if (heard === undefined) return;
    const { video } = this.#sender.ssrcs;
    const report = writeReception(video, { ...heard, delay: 0 });
    this.#sendRtcp(Buffer.concat([report, writePictureLoss(video, heard.ssrc)]));
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
      if (feedback.ssrc !== this.#sender.ssrcs.video) continue;
      if (feedback.kind === 'nack') this.#resend(feedback.sequences);
      else if (feedback.kind === 'keyFrame') this.#options.events.onKeyFrameWanted();
    }
  }

  #write(kind: TrackKind, timestamp: number, marker: boolean, payload: Buffer): void {
    if (this.#path === undefined) return;
    const packet = this.#sender.write(kind, timestamp, marker, payload);
    if (packet === undefined) return;
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
      const packet = this.#sender.written(sequence);
      if (packet !== undefined) this.#send(packet);
    }
  }

  #onSecure(media: SecureMedia): void {
    const { socket, audio, video, events } = this.#options;
    const receiving = socket.driver.createCipher(media.receiveKey.key);
    this.#media = media;
    this.#receivingCipher = receiving;
    this.#reader = new SrtpReader(receiving, media.receiveKey.salt);
    this.#sender.open(socket, media.sendKey, {
      audio: { payloadType: audio.payloadType, ringSize: AUDIO_RING },
      video: video && { payloadType: video.payloadType, ringSize: VIDEO_RING },
    });
    events.onReady();
  }

  #sendRtcp(packet: Buffer): void {
    if (this.#media !== undefined) this.#send(this.#media.encryptRtcp(packet));
  }

  #send(datagram: Buffer): void {
    if (this.#path !== undefined && !this.#isClosed) this.#options.socket.send(datagram, this.#path);
  }
}
