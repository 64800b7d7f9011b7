import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { parseNameAddr } from '../message/fields.ts';
import type { ReceivedRequest, ReceivedResponse, SipMessage } from '../message/message.ts';

/** `<seconds since 1970> <HMAC-SHA-256 in hex>` */
const HEADER = 'x-panel-proof';
const VALUE = /^(\d{1,12}) ([0-9a-f]{64})$/;
/** How far the clocks of two panels may differ, including the message's travel time, in milliseconds. */
export const WINDOW_MS = 5 * 60_000;
/** Most proofs that are remembered; only panels that know the secret can add one. */
const MAX_SEEN = 1_000;

interface PanelProofOptions {
  /** `sip.panelSecret` */
  readonly secret: string;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
}

/**
 * How panels of a house prove to each other that they share `sip.panelSecret`. A proof is valid for one message only:
 * for its call and CSeq, its target, its session description, its source address and its time.
 */
export class PanelProof {
  readonly #options: PanelProofOptions;
  /** By the monotonic clock. */
  readonly #startedAt: number;
  /** Proofs of accepted requests, and when each one expires. */
  readonly #seen = new Map<string, number>();

  constructor(options: PanelProofOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  /**
   * Adds the proof to a message that is complete except for its Via.
   * @param sender our own address, as the remote party sees it
   */
  sign(message: SipMessage, sender: string): void {
    const time = String(Math.floor(this.#options.timeOfDay() / 1_000));
    message.headers.set(HEADER, `${time} ${this.#code(message, sender, time).toString('hex')}`);
  }

  /**
   * Whether the sender knows the secret. A request counts once: a copy may come from an eavesdropper.
   * @param sender where the message came from
   */
  holds(message: ReceivedRequest | ReceivedResponse, sender: string): boolean {
    const [, time = '', code = ''] = VALUE.exec(message.headers.get(HEADER) ?? '') ?? [];
    if (code === '' || !this.#isNow(Number(time))) return false;
    if (!timingSafeEqual(this.#code(message, sender, time), Buffer.from(code, 'hex'))) return false;
    return message.kind === 'response' || this.#isFirst(code);
  }

  /** A proof from before our start may have been used then, and we no longer know it. */
  #isNow(seconds: number): boolean {
    const { clock, timeOfDay } = this.#options;
    const age = timeOfDay() - seconds * 1_000;
    // Its time is given in whole seconds.
    const most = Math.min(WINDOW_MS, clock.now() - this.#startedAt + 1_000);
    return age >= -WINDOW_MS && age <= most;
  }

  #isFirst(code: string): boolean {
    const now = this.#options.clock.now();
    for (const [oldest, until] of this.#seen) {
      if (until > now) break;
      this.#seen.delete(oldest);
    }
    // Forgetting a proof would allow a replay.
    if (this.#seen.has(code) || this.#seen.size >= MAX_SEEN) return false;
    this.#seen.set(code, now + 2 * WINDOW_MS);
    return true;
  }

  #code(message: SipMessage, sender: string, time: string): Buffer {
    const { headers, body } = message;
    const tagOf = (name: string): string => parseNameAddr(headers.get(name) ?? '')?.params.get('tag') ?? '';
    // In JSON no part of one field can pass for a part of the next.
    const text = JSON.stringify([
      'faceplate panel 1',
      time,
      message.kind === 'request' ? message.uri : message.status,
      // Each machine names the zone of a link-local address differently.
      sender.replace(/%.*$/, ''),
      headers.get('call-id') ?? '',
      (headers.get('cseq') ?? '').split(/\s+/),
      tagOf('from'),
      tagOf('to'),
      headers.get('x-panel-page') ?? '',
      createHash('sha256').update(body).digest('hex'),
    ]);
    return createHmac('sha256', this.#options.secret).update(text).digest();
  }
}
