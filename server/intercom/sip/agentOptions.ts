import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { TlsIdentity } from '../../platform/tls/ownCertificate.ts';
import type { RateLimits } from './admission.ts';
import type { RegistrarAccount } from './registrarServer.ts';
import type { Protocol } from './transport/protocol.ts';
import type { Resolver } from './transport/resolve.ts';
import type { TlsTrust } from './transport/tlsTrust.ts';

/** What SIP knows about the panel, and what it asks the panel. */
export interface SipAgentOptions {
  /** Address to listen on; 0.0.0.0 or :: for all. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** User part of our address and of the login. */
  readonly username: string;
  readonly deviceName: string;
  readonly version: string;
  /** Name or address, optional port; empty for none. */
  readonly registrar: string;
  readonly password: string;
  /** Transport to the registrar, or to other devices if there is none. */
  readonly transport: Protocol;
  /** Accounts of the built-in registrar; without them it is off. */
  readonly registrarAccounts?: readonly RegistrarAccount[] | undefined;
  /** Whether this address may call. The registrar and devices registered here always may. */
  readonly mayCall: (address: string) => boolean;
  /** Whether a panel that announces itself has this address: it may send OPTIONS, and prove itself. */
  readonly isPanel?: ((address: string) => boolean) | undefined;
  /** Secret by which panels of this house prove themselves; empty for none. */
  readonly panelSecret?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** From 0 up to, but not including, 1. */
  readonly random?: () => number;
  readonly resolver?: Resolver;
  readonly trust?: TlsTrust | undefined;
  /** With its own certificate the panel accepts TLS connections on the port after `port`. Read at the start. */
  readonly identity?: (() => Promise<TlsIdentity>) | undefined;
  readonly limits?: RateLimits;
}
