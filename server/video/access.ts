import type { X509Certificate } from 'node:crypto';

/** Decides about cameras whose certificate the system does not trust. */
export interface CertificateTrust {
  /** @param reason why the system does not trust it, as a code. @returns whether exactly this one was pinned here. */
  judge(
    server: { readonly host: string; readonly port: number },
    certificate: X509Certificate,
    reason: string,
  ): 'trusted' | 'refused' | 'changed';
  /** Authorities of the house beside those of the system, as PEM. */
  authorities?(): readonly string[];
  /** Whether only a pinned certificate counts for this server, whatever an authority of the house says. */
  isPinned?(server: { readonly host: string; readonly port: number }): boolean;
}

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
