import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, connect } from 'node:tls';
import type { CertificateProbe } from './service.ts';

/** How long a server may take to show its certificate, in milliseconds. */
const PROBE_MS = 4_000;

/** Starts a TLS connection only to see the certificate; sends nothing over it. */
export class TlsProbe implements CertificateProbe {
  readonly #limitMs: number;

  /** @param limitMs tests shorten it. */
  constructor(limitMs = PROBE_MS) {
    this.#limitMs = limitMs;
  }

  ask(host: string, port: number): Promise<X509Certificate> {
    return this.#ask(host, port, { rejectUnauthorized: false });
  }

  askVouched(host: string, port: number, authorities: readonly string[]): Promise<X509Certificate> {
    return this.#ask(host, port, { ca: [...authorities], rejectUnauthorized: true });
  }

  #ask(
    host: string,
    port: number,
    trust: Pick<ConnectionOptions, 'ca' | 'rejectUnauthorized'>,
  ): Promise<X509Certificate> {
    // Browsers resolve *.localhost to this machine; the system's resolver may not.
    const address = /(^|\.)localhost$/.test(host) ? '127.0.0.1' : host;
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: address,
        port,
        ...(isIP(host) === 0 && { servername: host }),
        // Otherwise the address that replaces a name would be checked.
        checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
        ...trust,
      });
      const timer = setTimeout(
        () => socket.destroy(new Error('The server shows no certificate in time.')),
        this.#limitMs,
      );
      socket.once('secureConnect', () => {
        const certificate = socket.getPeerX509Certificate();
        socket.destroy();
        if (certificate === undefined) reject(new Error('The server shows no certificate.'));
        else resolve(certificate);
      });
      socket.on('error', reject);
      socket.once('close', () => {
        clearTimeout(timer);
        reject(new Error('The server closed the connection.'));
      });
    });
  }
}
