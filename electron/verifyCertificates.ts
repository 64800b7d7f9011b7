import { X509Certificate } from 'node:crypto';
import type { Session } from 'electron';
import type { HostCertificates, TlsServer } from '../server/kiosk/host.ts';
import type { Logger } from '../server/platform/log.ts';

/** Answers of a verify procedure (Session.setCertificateVerifyProc). */
const ACCEPT = 0;
const REJECT = -2;
const AS_CHROMIUM_SAYS = -3;
const HTTPS_PORT = 443;

interface VerifyOptions {
  readonly certificates: HostCertificates;
  /** The server of the kiosk page, whose port is known. */
  readonly home: () => TlsServer;
  readonly log: Logger;
}

/**
 * Lets Chromium decide about certificates it trusts, and the pinned certificates about all others. Electron reports the
 * host but not the port: a pin for any port of the host counts, and a refusal is recorded for the page's own port, or
 * 443.
 * @returns the function that ends it
 */
export function verifyCertificates(session: Session, { certificates, home, log }: VerifyOptions): () => void {
  const portOf = (host: string): number => (home().host === host ? home().port : HTTPS_PORT);
  const judge: NonNullable<Parameters<Session['setCertificateVerifyProc']>[0]> = (request, answer) => {
    const { hostname: host, certificate, verificationResult } = request;
    try {
      const shown = new X509Certificate(certificate.data);
      const server = { host, port: portOf(host) };
      const verdict = certificates.judgeHost(server, shown, verificationResult.replace(/^net::/, ''));
      answer(verdict === 'trusted' ? ACCEPT : REJECT);
    } catch (error) {
      log.warn({ err: error, host }, 'certificate refused');
      answer(REJECT);
    }
  };
  const verify: typeof judge = (request, answer) => {
    if (request.errorCode === 0) return answer(AS_CHROMIUM_SAYS);
    const { hostname: host } = request;
    if (certificates.vouch === undefined) return judge(request, answer);
    certificates.vouch({ host, port: portOf(host) }).then(
      () => judge(request, answer),
      () => answer(REJECT),
    );
  };
  session.setCertificateVerifyProc(verify);
  // Electron remembers decisions. Not tested: whether it asks again when the procedure is set again.
  const end = certificates.onTrusted(() => session.setCertificateVerifyProc(verify));
  return () => {
    end();
    session.setCertificateVerifyProc(null);
  };
}
