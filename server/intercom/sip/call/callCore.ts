import type { Clock } from '../../../platform/clock.ts';
import type { DigestClient } from '../auth/digest.ts';
import type { Headers } from '../message/headers.ts';
import type { ReceivedRequest, ReceivedResponse, SipMessage } from '../message/message.ts';
import type { SipUri } from '../message/uri.ts';
import type { TransactionLayer } from '../transaction/layer.ts';
import type { Hop, Source } from '../transport/hop.ts';

/** What a call needs from its agent. */
export interface CallCore {
  readonly clock: Clock;
  readonly layer: TransactionLayer;
  /** From 0 up to, but not including, 1. */
  random(): number;
  /** Hops that a URI resolves to, best first. @throws Error if it resolves to none */
  hopsTo(uri: SipUri): Promise<Hop[]>;
  /** Our Contact towards a hop, a SIPS address for a dialog of such. @throws Error if there is no route */
  contact(hop: Hop, isSips: boolean): Promise<string>;
  /** Our own address towards a hop. */
  localAddress(hop: Hop): Promise<string>;
  /** Credentials for a request to this hop: only if it is the configured registrar. */
  digestFor(hop: Hop): DigestClient | undefined;
  /** Adds the proof that we are a panel of this house, if a secret is set. */
  prove(message: SipMessage, hop: Pick<Hop, 'host'>): Promise<void>;
  /** Whether the sender has proved that it is a panel of this house. Ask only once per request. */
  isProven(message: ReceivedRequest | ReceivedResponse, source: Source): boolean;
  /** Whether a redirect may lead there. */
  mayReach(address: string): boolean;
  /** Allow, Supported and User-Agent or Server. */
  describe(headers: Headers, kind: 'request' | 'response'): void;
  /** Ends an unwanted 2xx: ACK and BYE to where it came from. */
  decline(response: ReceivedResponse, source: Source): void;
  /** The call is over and no more messages of it can arrive. */
  release(call: OngoingCall): void;
}

/** A call, as the core sees it. */
interface OngoingCall {
  readonly callId: string;
}

/** Time limit in milliseconds for the answer to each kind of goodbye. */
export const GOODBYE_MS = 2_000;
/** A host without any answer by then counts as showing no sign of life. */
export const LIFE_MS = 6_000;
