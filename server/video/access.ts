import type { CertificateTrust } from '../platform/trustedTls.ts';

/** The login of a camera whose address carries none (`streams.logins`). */
export interface CameraLogin {
  readonly host: string;
  /** Without it the login is for every port of the host. */
  readonly port?: number | undefined;
  readonly user: string;
  readonly password: string;
}

/** The panel's rules for reaching cameras. */
export interface CameraAccess {
  /** The panel's own control port, which no address and no redirect may lead to. */
  readonly ownPort: () => number | undefined;
  readonly certificates: CertificateTrust;
  /** Read at every opening, so that a change applies to the next one. */
  readonly logins: () => readonly CameraLogin[];
  /** Hosts that are asked for UDP first (`streams.udpHosts`). */
  readonly udpHosts: () => readonly string[];
}
