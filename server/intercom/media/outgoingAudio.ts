import type { Clock } from '../../platform/clock.ts';
import { type ClockPoint, clockPointAt } from '../../webrtc/rtp/rtcp.ts';
import type { RtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import { type AudioCodec, PACKET_MS, silentPacket } from './codecs.ts';
import { DIGIT_MS, END_PACKETS, eventPayload, eventsOf } from './rtp/dtmf.ts';
import type { RtpStream } from './rtp/rtpStream.ts';

/** Milliseconds without packets from the intercom page after which silence is sent instead. */
const PAGE_SILENT_MS = 200;
/** A larger step of the intercom page's timestamps, in milliseconds, means a new stream. */
const MAX_STEP_MS = 2_000;

interface AudioRoute {
  readonly codec: AudioCodec;
  readonly payloadType: number;
  readonly dtmf: { readonly payloadType: number; readonly clockRate: number } | undefined;
}

/**
 * Sound to the remote party: packets of the intercom page, silence while it is muted or sends none, or RFC 4733 events.
 * All form one stream with continuous sequence numbers and timestamps. A remote party, and routers on the path, treat a
 * stream that pauses as ended.
 */
export class OutgoingAudio {
  isMuted = false;
  readonly #stream: RtpStream;
  readonly #clock: Clock;
  #route: AudioRoute | undefined;
  /** Timestamp of the last packet, and when it was sent. */
  #last: { timestamp: number; at: number } | undefined;
  /** Offset from the intercom page's timestamps to ours. */
  #offset: number | undefined;
  #pageAt = Number.NEGATIVE_INFINITY;
  #startsTalk = true;
  #isSendingEvent = false;
  #cancelTick = (): void => {};
  readonly #digits = new Set<() => void>();

  constructor(stream: RtpStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
  }

  /**
   * The terms to send by from now on; undefined: send nothing, because the remote party holds the call or is not
   * answered yet.
   */
  open(route: AudioRoute | undefined): void {
    const isOpen = this.#route !== undefined;
    this.#route = route;
    if (route !== undefined && !isOpen) this.#tick();
    if (route === undefined) this.#cancelTick();
  }

  /** Ends for good: pending digits resolve as not sent. */
  stop(): void {
    this.open(undefined);
    for (const end of [...this.#digits]) end();
  }

  /** Sends a packet of the intercom page's microphone. */
  push({ timestamp, payload }: RtpPacket): void {
    const route = this.#route;
    if (route === undefined) return;
    this.#pageAt = this.#clock.now();
    const { codec } = route;
    const { conversion } = codec;
    const mapped = this.#map((timestamp * (conversion?.factor ?? 1)) >>> 0, codec);
    if (this.#isSendingEvent) return;
    const sound = conversion?.fromPage(payload) ?? payload;
    this.#send(route, mapped, this.isMuted ? codec.silence(sound.length) : sound);
  }

  /** The intercom page starts a new stream: its timestamps have another base. */
  restart(): void {
    this.#offset = undefined;
  }

  /** The current timestamp; undefined before the first packet. */
  get point(): ClockPoint | undefined {
    const last = this.#last;
    if (last === undefined) return undefined;
    return clockPointAt(Date.now() - (this.#clock.now() - last.at), last.timestamp);
  }

  /**
   * Sends digits one after the other.
   * @returns false if the remote party takes no events, or the call ended before the last digit.
   * @throws FaceplateError INVALID_REQUEST for anything but digits.
   */
  async sendDigits(digits: string, gapMs: number): Promise<boolean> {
    for (const event of eventsOf(digits)) {
      // One after the other, also for two calls of this method.
      while (this.#isSendingEvent) if (!(await this.#pause(PACKET_MS))) return false;
      if (this.#route?.dtmf === undefined) return false;
      if (!(await this.#sendEvent(event)) || !(await this.#pause(gapMs))) return false;
    }
    return true;
  }

  async #sendEvent(event: number): Promise<boolean> {
    const route = this.#route;
    if (route?.dtmf === undefined) return false;
    const { dtmf, codec } = route;
    this.#isSendingEvent = true;
    try {
      const start = this.#now(codec);
      const ticks = (milliseconds: number): number => (dtmf.clockRate / 1000) * milliseconds;
      for (let length = PACKET_MS; length <= DIGIT_MS; length += PACKET_MS) {
        const isEnd = length === DIGIT_MS;
        for (let count = isEnd ? END_PACKETS : 1; count > 0; count--) {
          const payload = eventPayload(event, isEnd, ticks(length));
          this.#stream.send(dtmf.payloadType, length === PACKET_MS, start, payload);
        }
        this.#last = {
          timestamp: (start + (codec.clockRate / 1000) * length) >>> 0,
          at: this.#clock.now(),
        };
        if (!isEnd && !(await this.#pause(PACKET_MS))) return false;
      }
      this.#startsTalk = true;
      return true;
    } finally {
      this.#isSendingEvent = false;
    }
  }

  /** @returns false if the call ended in between. */
  #pause(milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isOver: boolean) => (): void => {
        cancel();
        this.#digits.delete(end);
        resolve(isOver);
      };
      const end = settle(false);
      const cancel = this.#clock.after(milliseconds, settle(true));
      this.#digits.add(end);
    });
  }

  /** Runs once per packet time while the intercom page sends nothing, less often while it sends. */
  #tick(): void {
    const route = this.#route;
    if (route === undefined) return;
    const isQuiet = this.#clock.now() - this.#pageAt >= PAGE_SILENT_MS;
    this.#cancelTick = this.#clock.after(isQuiet ? PACKET_MS : PAGE_SILENT_MS, () => this.#tick());
    if (!isQuiet || this.#isSendingEvent) return;
    this.#offset = undefined;
    this.#send(route, this.#now(route.codec), silentPacket(route.codec));
  }

  #send({ payloadType }: AudioRoute, timestamp: number, payload: Buffer): void {
    this.#stream.send(payloadType, this.#startsTalk, timestamp, payload);
    this.#startsTalk = false;
    this.#last = { timestamp, at: this.#clock.now() };
  }

  /** The timestamp of a packet that we generate now. */
  #now({ clockRate }: AudioCodec): number {
    if (this.#last === undefined) return this.#stream.timestampBase;
    const step = (clockRate / 1000) * PACKET_MS;
    // In whole packets, as if one had been sent each time.
    const packets = Math.max(1, Math.round((this.#clock.now() - this.#last.at) / PACKET_MS));
    return (this.#last.timestamp + packets * step) >>> 0;
  }

  #map(timestamp: number, codec: AudioCodec): number {
    const mapped = (timestamp + (this.#offset ?? 0)) >>> 0;
    const step = this.#last === undefined ? 0 : (mapped - this.#last.timestamp) | 0;
    const goesOn = this.#offset !== undefined && step > 0 && step < (codec.clockRate / 1000) * MAX_STEP_MS;
    // During an event the intercom page's clock runs on, unseen.
    if (goesOn || (this.#offset !== undefined && this.#isSendingEvent)) return mapped;
    const now = this.#now(codec);
    this.#offset = (now - timestamp) >>> 0;
    return now;
  }
}
