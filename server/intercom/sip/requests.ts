import { isLocalAddress } from '../../platform/net/addresses.ts';
import type { RateLimits } from './admission.ts';
import type { Call } from './call/call.ts';
import type { CallCore } from './call/callCore.ts';
import { IncomingSipCall } from './call/incomingCall.ts';
import { Dialog, MIN_SE, sessionExpiresOf } from './dialog/dialog.ts';
import { parseVia } from './message/fields.ts';
import { needsMoreThanSdp, type ReceivedRequest, responseTo, sdpOf, serialise } from './message/message.ts';
import type { Malformed } from './message/parse.ts';
import { parseUri } from './message/uri.ts';
import type { RegistrarServer } from './registrarServer.ts';
import { newTag } from './transaction/layer.ts';
import type { ServerTransaction } from './transaction/serverTransaction.ts';
import { replyHop, type Source } from './transport/hop.ts';
import type { Transport } from './transport/transport.ts';

export const ALLOW = 'INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, UPDATE, PRACK';
export const EXTENSIONS = ['100rel', 'timer'];
/** Bodies of an INVITE that we understand. */
const ACCEPT = 'application/sdp, multipart/mixed';
const IN_DIALOG = new Set(['BYE', 'INFO', 'UPDATE', 'PRACK']);
/** Methods that we know but do not allow; all others get 501. */
const REFUSED = new Set(['REGISTER', 'SUBSCRIBE', 'NOTIFY', 'REFER', 'PUBLISH']);
/** Most calls at a time, both directions: an announcement to a whole house, and some incoming ones. */
export const MAX_CALLS = 64;

interface RequestParts {
  readonly core: CallCore;
  readonly calls: Set<Call>;
  readonly limits: RateLimits;
  readonly transport: Pick<Transport, 'send'>;
  readonly registrarServer: RegistrarServer | undefined;
  /** Whether this address may call at all. */
  readonly mayCall: (address: string) => boolean;
  /** Whether a panel that announces itself has this address. This proves nothing. */
  readonly isPanel: (address: string) => boolean;
  readonly isRegistrar: (address: string) => boolean;
  readonly onIncoming: (call: IncomingSipCall) => void;
}

/**
 * Handles requests of others. A caller that is not allowed gets no answer at all, so that a scanner does not learn that
 * a device is here; the rest is RFC 3261 section 8.2.
 */
export class Requests {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  onRequest(transaction: ServerTransaction): void {
    const { request, source } = transaction;
    if (request.core.to.params.has('tag')) {
      this.#inDialog(transaction);
      return;
    }
    const kind = request.method === 'INVITE' ? 'invite' : 'other';
    if (!this.#isRead(request.method, source.host) || !this.#parts.limits.take(source.host, kind)) {
      transaction.end();
      return;
    }
    const isProven =
      kind === 'invite' && sdpOf(request) !== undefined && this.#parts.core.isProven(request, source);
    // A discovered panel without a proof calls like any stranger.
    if (kind === 'invite' && !isProven && !this.#parts.mayCall(source.host)) transaction.end();
    else if (!this.#isRefused(transaction)) this.#outsideDialog(transaction, isProven);
  }

  /** Whether a request of this method from there is handled; a discovered panel may send OPTIONS. */
  #isRead(method: string, host: string): boolean {
    const { mayCall, isPanel, registrarServer } = this.#parts;
    return (
      mayCall(host) ||
      (method === 'REGISTER' && registrarServer !== undefined && isLocalAddress(host)) ||
      ((method === 'OPTIONS' || method === 'INVITE') && isPanel(host))
    );
  }

  onAck(request: ReceivedRequest, source: Source): void {
    const call = this.#callOf(request);
    if (call?.addresses.has(source.host) === true) call.acknowledged(request);
  }

  /** A request that cannot be read: its sender gets an answer if it may call. */
  onMalformed({ request, status, problem }: Malformed, source: Source): void {
    const via = parseVia(request?.headers.list('via')[0] ?? '');
    const { mayCall, limits, transport } = this.#parts;
    if (request === undefined || via === undefined) return;
    if (!mayCall(source.host) || !limits.take(source.host, 'other')) return;
    const response = { ...responseTo(request, status, newTag()), reason: problem };
    transport.send(serialise(response), replyHop(source, via)).catch(() => {});
  }

  #callOf({ core }: ReceivedRequest): Call | undefined {
    const localTag = core.to.params.get('tag') ?? '';
    const remoteTag = core.from.params.get('tag') ?? '';
    for (const call of this.#parts.calls) {
      if (call.callId === core.callId && call.matches(localTag, remoteTag)) return call;
    }
    return undefined;
  }

  #inDialog(transaction: ServerTransaction): void {
    const { request, source } = transaction;
    const call = this.#callOf(request);
    if (call !== undefined) {
      // A sender that guessed or overheard the tags still has another address: no answer.
      if (!call.addresses.has(source.host)) transaction.end();
      else if (!this.#isRefused(transaction)) call.receive(transaction);
    } else if (this.#parts.mayCall(source.host) && this.#parts.limits.take(source.host, 'other'))
      this.#answer(transaction, 481);
    else transaction.end();
  }

  /** Sections 8.2.2 and 8.2.3, checks for every method. @returns whether it was refused */
  #isRefused(transaction: ServerTransaction): boolean {
    const { request } = transaction;
    const unknown = request.headers.tokens('require').filter((name) => !EXTENSIONS.includes(name));
    const uri = parseUri(request.uri);
    if (unknown.length > 0) this.#answer(transaction, 420, [['unsupported', unknown.join(', ')]]);
    else if (uri?.scheme === 'other' && !/^tel:/i.test(uri.text)) this.#answer(transaction, 416);
    else if (hasForeignBody(request)) this.#answer(transaction, 415, [['accept', ACCEPT]]);
    else return false;
    return true;
  }

  #outsideDialog(transaction: ServerTransaction, isProven: boolean): void {
    const { method } = transaction.request;
    if (method === 'INVITE') this.#invite(transaction, isProven);
    // A door that gets no 200 for its MESSAGE sends it again and again.
    else if (method === 'MESSAGE') this.#answer(transaction, 200);
    else if (method === 'OPTIONS') this.#answer(transaction, 200, [['accept', ACCEPT]]);
    else if (method === 'REGISTER' && this.#parts.registrarServer !== undefined)
      this.#register(transaction, this.#parts.registrarServer);
    else if (IN_DIALOG.has(method)) this.#answer(transaction, 481);
    else this.#answer(transaction, REFUSED.has(method) ? 405 : 501);
  }

  #invite(transaction: ServerTransaction, isProven: boolean): void {
    const { request, source } = transaction;
    const { core, calls, isRegistrar, onIncoming } = this.#parts;
    const session = sessionExpiresOf(request.headers);
    const accept = request.headers.tokens('accept').map((value) => value.split(';')[0]!.trim());
    if (
      accept.length > 0 &&
      !accept.some((type) => ['application/sdp', 'application/*', '*/*'].includes(type))
    ) {
      this.#answer(transaction, 406);
      return;
    }
    if (session !== undefined && session.seconds < MIN_SE) {
      this.#answer(transaction, 422, [['min-se', String(MIN_SE)]]);
      return;
    }
    if (calls.size >= MAX_CALLS) {
      this.#answer(transaction, 486);
      return;
    }
    const makeDialog = (localTag: string): Dialog | undefined => Dialog.ofRequest(request, localTag, source);
    if (makeDialog('') === undefined) {
      this.#answer(transaction, 400);
      return;
    }
    const known = { viaRegistrar: isRegistrar(source.host), isProven };
    const call = new IncomingSipCall(core, transaction, (tag) => makeDialog(tag)!, known);
    calls.add(call);
    onIncoming(call);
  }

  #register(transaction: ServerTransaction, server: RegistrarServer): void {
    const { request, source } = transaction;
    const { limits } = this.#parts;
    // A password attack.
    if (!limits.has(source.host, 'failure')) {
      transaction.end();
      return;
    }
    const { response, isFailure } = server.answer(request, source);
    if (isFailure) limits.take(source.host, 'failure');
    this.#parts.core.describe(response.headers, 'response');
    transaction.respond(response);
  }

  #answer(
    transaction: ServerTransaction,
    status: number,
    extra: readonly (readonly [name: string, value: string])[] = [],
  ): void {
    const response = responseTo(transaction.request, status, newTag());
    this.#parts.core.describe(response.headers, 'response');
    for (const [name, value] of extra) response.headers.add(name, value);
    transaction.respond(response);
  }
}

/** Section 8.2.3: of bodies that must be understood, INVITE, UPDATE and PRACK may have a description only. */
function hasForeignBody(request: ReceivedRequest): boolean {
  return ['INVITE', 'UPDATE', 'PRACK'].includes(request.method) && needsMoreThanSdp(request);
}
