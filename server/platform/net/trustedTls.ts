import { constants, type X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls, {
  type ConnectionOptions,
  connect,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';

/** Where Debian's package ca-certificates puts the authorities of the system (update-ca-certificates(8)). */
const BUNDLE = '/etc/ssl/certs/ca-certificates.crt';

/** Node's own certificate authorities and those of the system, to which an installer may add the company's, as PEM. */
export function trustedAuthorities(): string[] {
  // Node before 22.15, as in Electron 33 and 34, does not have the function.
  const { getCACertificates } = tls as Partial<typeof tls>;
  if (getCACertificates !== undefined)
    return [...getCACertificates('default'), ...getCACertificates('system')];
  return [...tls.rootCertificates, ...authoritiesOf(BUNDLE)];
}

/** @returns the certificates of a file in PEM; none where the file cannot be read */
export function authoritiesOf(file: string): string[] {
  try {
    return (
      readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    );
  } catch {
    return [];
  }
}

/** A TLS server: where it is reached, by the name or address that the caller gave. */
interface TlsServer {
  readonly host: string;
  readonly port: number;
}

/** Decides about servers whose certificate the system does not trust. */
export interface CertificateTrust {
  /** @param reason why the system does not trust it, as a code. @returns whether exactly this one was pinned here. */
  judge(server: TlsServer, certificate: X509Certificate, reason: string): 'trusted' | 'refused' | 'changed';
  /** Authorities of the house beside those of the system, as PEM. */
  authorities?(): readonly string[];
  /** Whether only a pinned certificate counts for this server, whatever an authority of the house says. */
  isPinned?(server: TlsServer): boolean;
}

/** Why a certificate is not trusted. */
interface Distrust {
  /** `changed`: another one was pinned; undefined: the server shows none. */
  readonly verdict: 'refused' | 'changed' | undefined;
  /** As a code, such as DEPTH_ZERO_SELF_SIGNED_CERT. */
  readonly reason: string;
  /** SHA-256. */
  readonly fingerprint: string;
}

const trusted = new Map<boolean, { readonly further: string; readonly context: SecureContext }>();

/**
 * Node's own certificate authorities and those of the system, to which an installer may add the company's, and those of
 * the settings. Read once, and again when those of the settings change.
 */
function trustStore(authorities: readonly string[], allowsOld: boolean): SecureContext {
  const further = authorities.join('\n');
  const known = trusted.get(allowsOld);
  if (known?.further === further) return known.context;
  const ca = [...trustedAuthorities(), ...authorities];
  const context = allowsOld ? oldContext(ca) : createSecureContext({ ca, minVersion: 'TLSv1.2' });
  trusted.set(allowsOld, { further, context });
  return context;
}

/** For devices that have not learned TLS 1.2, or only with ciphers and keys that are weak by now. */
function oldContext(ca: string[]): SecureContext {
  try {
    return createSecureContext({
      ca,
      minVersion: 'TLSv1',
      ciphers: 'ALL:!aNULL:!eNULL:@SECLEVEL=0',
      secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    });
  } catch {
    // BoringSSL, as in Electron, has no security levels.
    return createSecureContext({ ca, minVersion: 'TLSv1' });
  }
}

/**
 * Connects over TLS. At 'secureConnect', `distrustOf` says whether the server is trusted.
 * @param allowsOld also with versions and ciphers that others can break
 */
export function connectTls(
  options: ConnectionOptions,
  trust: CertificateTrust,
  allowsOld = false,
): TLSSocket {
  // Not rejected by Node, so that the refusal can name the fingerprint; nothing is sent before it is checked.
  return connect({
    ...options,
    secureContext: trustStore(trust.authorities?.() ?? [], allowsOld),
    rejectUnauthorized: false,
  });
}

/** Why a server's certificate is not trusted; undefined if the system trusts it or it is pinned. */
export function distrustOf(
  socket: TLSSocket,
  server: TlsServer,
  trust: CertificateTrust,
): Distrust | undefined {
  const hasFurther = (trust.authorities?.() ?? []).length > 0;
  if (socket.authorized && !(hasFurther && trust.isPinned?.(server))) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return { verdict: undefined, reason: 'no certificate', fingerprint: '' };
  const reason = codeOf(socket.authorizationError);
  const verdict = trust.judge(server, certificate, reason);
  return verdict === 'trusted' ? undefined : { verdict, reason, fingerprint: certificate.fingerprint256 };
}

/** Only codes such as DEPTH_ZERO_SELF_SIGNED_CERT: the text of the error may repeat what the server sent. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'not valid';
}

/** What a person can do about a certificate of a device that is not trusted. */
export function distrustSentence({ verdict, reason, fingerprint }: Distrust): string {
  if (verdict === undefined) return 'The device shows no TLS certificate.';
  const about =
    verdict === 'changed'
      ? `The device shows another TLS certificate than the one that was trusted (${reason})`
      : `The device's TLS certificate is not trusted (${reason}) and not pinned on this panel`;
  return `${about}: SHA-256 ${fingerprint}. Compare it with the device's own and trust it on the settings page (or POST /api/manage/certificates/trust).`;
}
