import type { Clock } from '../../observe/clock.ts';
import type { DigestClient } from '../auth/digestClient.ts';
import type { Headers } from '../message/headers.ts';
import type { ReceivedResponse } from '../message/message.ts';
import type { SipUri } from '../message/uri.ts';
import type { TransactionLayer } from '../transaction/layer.ts';
import type { Hop } from '../transport/hop.ts';
import type { Call } from './call.ts';

/** What a call needs of the agent that it belongs to. */
export interface CallCore {
  readonly clock: Clock;
  readonly layer: TransactionLayer;
  /** From 0 up to, but not including, 1. */
  random(): number;
  /** Places that a URI leads to, best first. @throws Error where it leads nowhere */
  hopsTo(uri: SipUri): Promise<Hop[]>;
  /** Our Contact towards a hop. @throws Error where there is no route */
  contact(hop: Hop): Promise<string>;
  /** Our own address towards a hop. */
  localAddress(hop: Hop): Promise<string>;
  /** Credentials for a request to this hop: only where it is the configured registrar. */
  digestFor(hop: Hop): DigestClient | undefined;
  /** Whether a redirection may lead there. */
  mayReach(address: string): boolean;
  /** Allow, Supported and User-Agent or Server. */
  describe(headers: Headers, kind: 'request' | 'response'): void;
  /** A 2xx that nobody wants: ACK and BYE. */
  decline(response: ReceivedResponse): void;
  /** The call is over and nothing of it can arrive any more. */
  release(call: Call): void;
}

/** How long a method may take to see its goodbye answered, in milliseconds. */
export const GOODBYE_MS = 2_000;
/** A host that has not answered anything by then gives no sign of life. */
export const LIFE_MS = 6_000;
