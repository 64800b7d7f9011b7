import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { formatVia } from '../message/fields.ts';
import {
  type ReceivedRequest,
  type ReceivedResponse,
  responseTo,
  type SipRequest,
  serialise,
} from '../message/message.ts';
import type { Hop, Source } from '../transport/hop.ts';
import { DEFAULT_PORT } from '../transport/protocol.ts';
import type { StreamConnection } from '../transport/streamConnection.ts';
import { type ClientHandlers, ClientTransaction, type ClientTransport } from './clientTransaction.ts';
import { ServerTransaction } from './serverTransaction.ts';
import { GIVE_UP_MS } from './timers.ts';

/** RFC 3261 section 8.1.1.7: the prefix of branches made by this RFC. */
const COOKIE = 'z9hG4bK';
const MAX_SERVER = 500;

interface LayerEvents {
  /** A new request, never ACK or CANCEL. */
  onRequest(transaction: ServerTransaction): void;
  /** An ACK that acknowledges a 2xx. */
  onAck(request: ReceivedRequest, source: Source): void;
  /** A 2xx to one of our INVITEs up to 32 s after its transaction ended. */
  onStrayResponse(response: ReceivedResponse, source: Source): void;
}

interface RequestOptions {
  /** That of the INVITE for its CANCEL, else a new one. */
  readonly branch?: string;
  /** The quota that it counts against; that of calls by default. */
  readonly use?: RequestUse;
}

/** All transactions of this panel; matches messages to them (RFC 3261 section 17). */
export class TransactionLayer {
  readonly #clock: Clock;
  readonly #transport: ClientTransport;
  readonly #events: LayerEvents;
  readonly #clients = new Map<string, ClientTransaction>();
  readonly #quotas = new Quotas();
  readonly #sent: BranchTable;
  readonly #servers = new Map<string, ServerTransaction>();
  /** By Call-ID, From tag and CSeq: the same INVITE over two routes (section 8.2.2.2). */
  readonly #merged = new Map<string, ServerTransaction>();

  constructor(parts: { clock: Clock; transport: ClientTransport; events: LayerEvents }) {
    this.#clock = parts.clock;
    this.#transport = parts.transport;
    this.#events = parts.events;
    this.#sent = new BranchTable(parts.clock);
  }

  /** Number of transactions, for leak checks. */
  get size(): number {
    return this.#clients.size + this.#servers.size;
  }

  /** Sends a request. */
  request(
    request: SipRequest,
    hop: Hop,
    handlers: ClientHandlers,
    { branch = newBranch(), use = 'call' }: RequestOptions = {},
  ): ClientTransaction {
    const key = `${branch} ${request.method}`;
    const transaction: ClientTransaction = new ClientTransaction(request, hop, branch, {
      clock: this.#clock,
      transport: this.#transport,
      handlers,
      onEnd: () => {
        // A transaction that never started holds nothing.
        if (this.#clients.get(key) !== transaction) return;
        this.#clients.delete(key);
        this.#quotas.giveBack(use);
        if (request.method === 'INVITE') this.#sent.remember(branch);
      },
    });
    if (!this.#quotas.take(use)) {
      this.#clock.after(0, () => handlers.onFailure('transport', 'too many requests under way'));
      return transaction;
    }
    this.#clients.set(key, transaction);
    void transaction.start();
    return transaction;
  }

  /** Sends the ACK of a 2xx, which is not a transaction (section 13.2.2.4). @throws Error if it cannot be sent. */
  async acknowledge(ack: SipRequest, hop: Hop): Promise<void> {
    const headers = ack.headers.copy();
    headers.delete('via');
    headers.addFirst('via', formatVia(await this.#transport.via(hop, newBranch())));
    await this.#transport.send(serialise({ ...ack, headers }), hop);
  }

  receiveResponse(response: ReceivedResponse, source: Source): void {
    const branch = response.core.via.params.get('branch') ?? '';
    const { method } = response.core.cseq;
    const transaction = this.#clients.get(`${branch} ${method}`);
    if (transaction !== undefined) transaction.receive(response, source);
    else if (method === 'INVITE' && isSuccess(response) && this.#sent.has(branch))
      this.#events.onStrayResponse(response, source);
  }

  receiveRequest(request: ReceivedRequest, source: Source): void {
    const { method } = request;
    const key = serverKey(request, method === 'ACK' || method === 'CANCEL' ? 'INVITE' : method);
    const known = this.#servers.get(key);
    // A stranger who guesses a branch still has another address.
    const own = known !== undefined && known.source.host === source.host ? known : undefined;
    if (method === 'ACK') {
      // Some devices give the ACK of a refusal another branch, and would be refused for half a minute.
      const refused = own ?? this.#merged.get(mergeKey(request, 'INVITE'));
      if (refused?.source.host !== source.host || !refused.acknowledged())
        this.#events.onAck(request, source);
    } else if (method === 'CANCEL')
      this.#cancel(request, source, own, known !== undefined && own === undefined);
    else if (own !== undefined) own.repeated();
    else if (known === undefined) this.#begin(key, request, source);
  }

  /** Fails the transactions of a connection that is gone. */
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

  /** Ends all transactions silently. */
  stop(): void {
    for (const transaction of [...this.#clients.values(), ...this.#servers.values()]) transaction.end();
    this.#sent.clear();
  }

  #begin(key: string, request: ReceivedRequest, source: Source): void {
    // Over the limit we send no answer: the remote party tries again.
    if (this.#servers.size >= MAX_SERVER) return;
    const merge = mergeKey(request, request.method);
    const isMerged = !request.core.to.params.has('tag') && this.#merged.has(merge);
    const transaction = new ServerTransaction(request, source, {
      clock: this.#clock,
      transport: this.#transport,
      onEnd: () => {
        this.#servers.delete(key);
        if (this.#merged.get(merge) === transaction) this.#merged.delete(merge);
      },
    });
    this.#servers.set(key, transaction);
    if (isMerged) {
      transaction.respond(responseTo(request, 482, newTag()));
      return;
    }
    this.#merged.set(merge, transaction);
    this.#events.onRequest(transaction);
  }

  /** Section 9.2: 200 to the CANCEL, regardless of its INVITE; 481 if there is no such INVITE. */
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

function isSuccess({ status }: ReceivedResponse): boolean {
  return status >= 200 && status < 300;
}

/** A branch that cannot be guessed. */
function newBranch(): string {
  return `${COOKIE}${randomBytes(16).toString('hex')}`;
}

/** A tag for From or To (section 19.3). */
export function newTag(): string {
  return randomBytes(8).toString('hex');
}

/** Section 17.2.3; for a branch of RFC 2543, which need not be unique, all identifiers of the request. */
function serverKey({ uri, core }: ReceivedRequest, method: string): string {
  const { via, callId, cseq, from, to } = core;
  const branch = via.params.get('branch') ?? '';
  const sentBy = `${via.host}:${via.port ?? DEFAULT_PORT.udp}`;
  if (branch.startsWith(COOKIE) && branch.length > COOKIE.length) return `${branch} ${sentBy} ${method}`;
  // The To tag of the ACK is ours, so it cannot be part of the key.
  const toTag = method === 'INVITE' ? '' : (to.params.get('tag') ?? '');
  return ['2543', uri, callId, cseq.number, from.params.get('tag') ?? '', toTag, branch, sentBy, method].join(
    ' ',
  );
}

/** Identifies a request whatever its branch (section 8.2.2.2). */
function mergeKey({ core: { callId, from, cseq } }: ReceivedRequest, method: string): string {
  return `${callId} ${from.params.get('tag') ?? ''} ${cseq.number} ${method}`;
}

const MAX_BRANCHES = 500;

/**
 * Branches of our INVITEs whose transaction is over. A late answer may still come for 32 s (RFC 3261 sections 13.2.2.4
 * and 17.1.1.2, timer B); strangers do not know these random values.
 */
class BranchTable {
  readonly #clock: Clock;
  /** When each is forgotten, earliest first. */
  readonly #forgetAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remember(branch: string): void {
    this.#forgetAt.delete(branch);
    this.#forgetAt.set(branch, this.#clock.now() + GIVE_UP_MS);
    for (const [oldest, at] of this.#forgetAt) {
      if (at > this.#clock.now() && this.#forgetAt.size <= MAX_BRANCHES) break;
      this.#forgetAt.delete(oldest);
    }
  }

  has(branch: string): boolean {
    return (this.#forgetAt.get(branch) ?? Number.NEGATIVE_INFINITY) > this.#clock.now();
  }

  clear(): void {
    this.#forgetAt.clear();
  }
}

/**
 * The purposes of our requests, and how many of each may be under way at once. Each has its own quota, so that a
 * stranger who makes us send one kind cannot keep us from registering, calling or opening a door.
 */
const QUOTAS = {
  registration: 16,
  /** All requests of a call except keys. */
  call: 500,
  /** Keys sent within a call: they open doors. */
  keys: 32,
  /** Asks whether a panel or a door station is reachable. */
  ping: 260,
  /** Goodbyes to unwanted answers. */
  decline: 32,
} as const;

export type RequestUse = keyof typeof QUOTAS;

/** Our requests under way, by purpose. */
class Quotas {
  readonly #taken = new Map<RequestUse, number>();

  /** @returns false if there are already too many of this kind */
  take(use: RequestUse): boolean {
    const taken = this.#taken.get(use) ?? 0;
    if (taken >= QUOTAS[use]) return false;
    this.#taken.set(use, taken + 1);
    return true;
  }

  giveBack(use: RequestUse): void {
    this.#taken.set(use, (this.#taken.get(use) ?? 1) - 1);
  }
}
