import { X509Certificate } from 'node:crypto';
import type { App, Certificate, Event, Session, WebContents } from 'electron';
import type { HostCertificates } from '../server/kiosk/host.ts';
import { serverOf } from '../server/kiosk/mayShow.ts';
import type { Logger } from '../server/platform/log.ts';

interface JudgeOptions {
  readonly app: App;
  readonly session: Session;
  readonly certificates: HostCertificates;
  readonly log: Logger;
}

/**
 * Lets Chromium decide about certificates it trusts, and the pinned certificates about all others: for each connection,
 * with its port. (`setCertificateVerifyProc` hears no port, and its answers are cached until the program ends.)
 * @returns the function that ends it
 */
export function judgeCertificates({ app, session, certificates, log }: JudgeOptions): () => void {
  const judge = async (url: string, error: string, { data }: Certificate): Promise<boolean> => {
    const server = serverOf(url);
    const shown = new X509Certificate(data);
    await certificates.vouch?.(server);
    return certificates.judgeShown(server, shown, error.replace(/^net::/, '')) === 'trusted';
  };
  const onError = (
    event: Pick<Event, 'preventDefault'>,
    _page: WebContents,
    url: string,
    error: string,
    certificate: Certificate,
    answer: (isTrusted: boolean) => void,
  ) => {
    event.preventDefault();
    judge(url, error, certificate).then(answer, (reason: unknown) => {
      log.warn({ err: reason }, 'certificate refused');
      answer(false);
    });
  };
  app.on('certificate-error', onError);
  // An open connection would go on as if nothing had happened.
  const endForgotten = certificates.onForgotten?.(() => void session.closeAllConnections());
  return () => {
    app.off('certificate-error', onError);
    endForgotten?.();
  };
}
