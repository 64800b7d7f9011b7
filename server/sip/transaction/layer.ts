import { randomBytes } from 'node:crypto';
import type { Clock } from '../../observe/clock.ts';
import { formatVia } from '../message/fields.ts';
import {
  type ReceivedRequest,
  type ReceivedResponse,
  responseTo,
  type SipRequest,
  serialise,
} from '../message/message.ts';
import { DEFAULT_PORT, type Hop, type Source } from '../transport/hop.ts';
import type { StreamConnection } from '../transport/streamConnection.ts';
import { type ClientHandlers, ClientTransaction, type ClientTransport } from './clientTransaction.ts';
import { ServerTransaction } from './serverTransaction.ts';

/** RFC 3261 section 8.1.1.7: what branches of this RFC begin with. */
const COOKIE = 'z9hG4bK';
const MAX_SERVER = 500;
const MAX_CLIENT = 500;

export interface LayerEvents {
  /** A new request, never ACK or CANCEL. */
  onRequest(transaction: ServerTransaction): void;
  /** An ACK that acknowledges a 2xx. */
  onAck(request: ReceivedRequest, source: Source): void;
  /** A 2xx that belongs to no transaction any more. */
  onStrayResponse(response: ReceivedResponse, source: Source): void;
}

/** All transactions of this panel, and which message belongs to which (RFC 3261 section 17). */
export class TransactionLayer {
  readonly #clock: Clock;
  readonly #transport: ClientTransport;
  readonly #events: LayerEvents;
  readonly #clients = new Map<string, ClientTransaction>();
  readonly #servers = new Map<string, ServerTransaction>();
  /** By Call-ID, From tag and CSeq: the same INVITE on two ways (section 8.2.2.2). */
  readonly #merged = new Map<string, ServerTransaction>();

  constructor(parts: { clock: Clock; transport: ClientTransport; events: LayerEvents }) {
    this.#clock = parts.clock;
    this.#transport = parts.transport;
    this.#events = parts.events;
  }

  /** Number of transactions, for leak checks. */
  get size(): number {
    return this.#clients.size + this.#servers.size;
  }

  /**
   * Sends a request.
   * @param branch that of the INVITE for its CANCEL; else a new one
   */
  request(request: SipRequest, hop: Hop, handlers: ClientHandlers, branch = newBranch()): ClientTransaction {
    const key = `${branch} ${request.method}`;
    const transaction = new ClientTransaction(request, hop, branch, {
      clock: this.#clock,
      transport: this.#transport,
      handlers,
      onEnd: () => this.#clients.delete(key),
    });
    if (this.#clients.size >= MAX_CLIENT) {
      this.#clock.after(0, () => handlers.onFailure('transport', 'too many requests under way'));
      return transaction;
    }
    this.#clients.set(key, transaction);
    void transaction.start();
    return transaction;
  }

  /** The ACK of a 2xx, which is no transaction (section 13.2.2.4). @throws Error where it cannot be sent. */
  async acknowledge(ack: SipRequest, hop: Hop): Promise<void> {
    const headers = ack.headers.copy();
    headers.delete('via');
    headers.addFirst('via', formatVia(await this.#transport.via(hop, newBranch())));
    await this.#transport.send(serialise({ ...ack, headers }), hop);
  }

  receiveResponse(response: ReceivedResponse, source: Source): void {
    const transaction = this.#clients.get(
      `${response.core.via.params.get('branch') ?? ''} ${response.core.cseq.method}`,
    );
    if (transaction !== undefined) transaction.receive(response, source);
    else if (response.core.cseq.method === 'INVITE' && response.status >= 200 && response.status < 300)
      this.#events.onStrayResponse(response, source);
  }

  receiveRequest(request: ReceivedRequest, source: Source): void {
    const { method } = request;
    const key = serverKey(request, method === 'ACK' || method === 'CANCEL' ? 'INVITE' : method);
    const known = this.#servers.get(key);
    // A stranger who guesses a branch is still at another address.
    const own = known !== undefined && known.source.host === source.host ? known : undefined;
    if (method === 'ACK') {
      if (own === undefined || !own.acknowledged()) this.#events.onAck(request, source);
    } else if (method === 'CANCEL')
      this.#cancel(request, source, own, known !== undefined && own === undefined);
    else if (own !== undefined) own.repeated();
    else if (known === undefined) this.#begin(key, request, source);
  }

  /** The connection of these transactions is gone. */
  connectionClosed(connection: StreamConnection): void {
    for (const client of [...this.#clients.values()]) {
      const { hop } = client;
      if (
        hop.flow === connection ||
        (hop.protocol === connection.protocol && hop.host === connection.host && hop.port === connection.port)
      )
        client.connectionLost();
    }
  }

  /** Ends all without a word. */
  stop(): void {
    for (const transaction of [...this.#clients.values(), ...this.#servers.values()]) transaction.end();
  }

  #begin(key: string, request: ReceivedRequest, source: Source): void {
    // Over the limit nothing is answered: the far end tries again.
    if (this.#servers.size >= MAX_SERVER) return;
    const mergeKey = `${request.core.callId} ${request.core.from.params.get('tag') ?? ''} ${request.core.cseq.number} ${request.method}`;
    const isMerged = !request.core.to.params.has('tag') && this.#merged.has(mergeKey);
    const transaction = new ServerTransaction(request, source, {
      clock: this.#clock,
      transport: this.#transport,
      onEnd: () => {
        this.#servers.delete(key);
        if (this.#merged.get(mergeKey) === transaction) this.#merged.delete(mergeKey);
      },
    });
    this.#servers.set(key, transaction);
    if (isMerged) {
      transaction.respond(responseTo(request, 482, newTag()));
      return;
    }
    this.#merged.set(mergeKey, transaction);
    this.#events.onRequest(transaction);
  }

  /** Section 9.2: 200 to the CANCEL, whatever becomes of its INVITE; 481 where there is none. */
  #cancel(
    request: ReceivedRequest,
    source: Source,
    invite: ServerTransaction | undefined,
    isForged: boolean,
  ): void {
    if (isForged) return;
    const key = serverKey(request, 'CANCEL');
    const known = this.#servers.get(key);
    if (known !== undefined) {
      known.repeated();
      return;
    }
    if (this.#servers.size >= MAX_SERVER) return;
    const transaction = new ServerTransaction(request, source, {
      clock: this.#clock,
      transport: this.#transport,
      onEnd: () => this.#servers.delete(key),
    });
    this.#servers.set(key, transaction);
    transaction.respond(responseTo(request, invite === undefined ? 481 : 200, newTag()));
    if (invite?.isAnswered === false) invite.onCancel(request);
  }
}

/** A branch that nobody can guess. */
function newBranch(): string {
  return `${COOKIE}${randomBytes(16).toString('hex')}`;
}

/** A tag for From or To (section 19.3). */
export function newTag(): string {
  return randomBytes(8).toString('hex');
}

/** Section 17.2.3; for a branch of RFC 2543, which need not be unique, all that such a request has. */
function serverKey({ uri, core }: ReceivedRequest, method: string): string {
  const { via, callId, cseq, from, to } = core;
  const branch = via.params.get('branch') ?? '';
  const sentBy = `${via.host}:${via.port ?? DEFAULT_PORT.udp}`;
  if (branch.startsWith(COOKIE) && branch.length > COOKIE.length) return `${branch} ${sentBy} ${method}`;
  // The To tag of the ACK is ours, so it cannot be a part.
  const toTag = method === 'INVITE' ? '' : (to.params.get('tag') ?? '');
  return ['2543', uri, callId, cseq.number, from.params.get('tag') ?? '', toTag, branch, sentBy, method].join(
    ' ',
  );
}
