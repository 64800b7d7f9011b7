import type { Clock } from '../../../platform/clock.ts';
import type { RateLimits } from '../admission.ts';
import { Dialog } from '../dialog/dialog.ts';
import type { ReceivedResponse } from '../message/message.ts';
import type { TransactionLayer } from '../transaction/layer.ts';
import { GIVE_UP_MS } from '../transaction/timers.ts';
import type { Hop, Source } from '../transport/hop.ts';

const MAX_ENDED = 100;

/**
 * Ends unwanted dialogs that a 2xx created: from a second phone that answered, or one that was faster than our CANCEL
 * (RFC 3261 section 13.2.2.4). ACK and BYE go back to where the answer came from, not to its Contact: otherwise the
 * answering host could make us send to a third host.
 */
export class LateForkResponses {
  readonly #clock: Clock;
  readonly #layer: TransactionLayer;
  readonly #limits: RateLimits;
  /** Dialogs that got a BYE, and until when their answer may be repeated. */
  readonly #ended = new Map<string, number>();

  constructor(parts: { clock: Clock; layer: TransactionLayer; limits: RateLimits }) {
    this.#clock = parts.clock;
    this.#layer = parts.layer;
    this.#limits = parts.limits;
  }

  /** Sends ACK each time, and BYE once. @param response a 2xx to one of our INVITEs */
  decline(response: ReceivedResponse, source: Source): void {
    const dialog = Dialog.ofResponse(response);
    if (dialog?.nextHop === undefined || !this.#limits.take(source.host, 'decline')) return;
    const hop: Hop = {
      protocol: source.protocol,
      host: source.host,
      port: source.port,
      flow: source.connection,
    };
    const ignore = (): void => {};
    this.#layer.acknowledge(dialog.request('ACK', response.core.cseq.number), hop).catch(ignore);
    if (!this.#isFirst(`${dialog.callId} ${dialog.localTag} ${dialog.remoteTag}`)) return;
    const handlers = { onResponse: ignore, onFailure: ignore };
    this.#layer.request(dialog.request('BYE'), hop, handlers, { use: 'decline' });
  }

  #isFirst(dialog: string): boolean {
    const now = this.#clock.now();
    for (const [oldest, until] of this.#ended) {
      if (until > now && this.#ended.size < MAX_ENDED) break;
      this.#ended.delete(oldest);
    }
    if (this.#ended.has(dialog)) return false;
    this.#ended.set(dialog, now + GIVE_UP_MS);
    return true;
  }
}
