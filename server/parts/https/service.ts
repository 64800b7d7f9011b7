import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Logger, LogLine } from '../../platform/log.ts';
import type { TlsIdentity } from '../../platform/tls/ownCertificate.ts';

/** Where the certificate of HTTPS comes from: files, or the panel itself. */
export interface CertificateSource {
  /**
   * The pair as it should be now; the same one again as long as nothing changed.
   * @throws Error whose message is a clause for people, such as `https.key cannot be read: no such file`
   */
  read(): Promise<TlsIdentity>;
}

/** How often the source is read again, in milliseconds. */
const LOOK_MS = 10_000;

interface HttpsOptions {
  /** null: HTTPS is off. */
  readonly source: CertificateSource | null;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The certificate that HTTPS shows. What cannot be used at the start leaves HTTPS off until the next start; later, the
 * certificate in use stays until its source is in order again.
 */
export class HttpsService {
  readonly #options: HttpsOptions;
  #identity: TlsIdentity | undefined;
  #fingerprint = '';
  #onChanged: (identity: TlsIdentity) => void = () => {};
  #cancel = (): void => {};
  #isStopped = false;
  /** The last complaint, so that it is not logged again every time. */
  #complaint = '';

  constructor(options: HttpsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#look('https: could not read the certificate, HTTPS stays off');
    if (this.#identity !== undefined) this.#lookLater();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
  }

  /** The certificate with its key; undefined while HTTPS is off. */
  get identity(): TlsIdentity | undefined {
    return this.#identity;
  }

  /** SHA-256 of the certificate, upper hex with colons. */
  get fingerprint(): string {
    return this.#fingerprint;
  }

  /** Calls `act` with each certificate that takes the place of the one before. One listener. */
  onChanged(act: (identity: TlsIdentity) => void): void {
    this.#onChanged = act;
  }

  /** @param failed what the log says when the source cannot be used */
  async #look(failed: LogLine): Promise<void> {
    const { source, log } = this.#options;
    if (source === null) return;
    try {
      const read = await source.read();
      this.#complaint = '';
      if (read.cert === this.#identity?.cert && read.key === this.#identity.key) return;
      const isFirst = this.#identity === undefined;
      this.#identity = read;
      this.#fingerprint = new X509Certificate(read.cert).fingerprint256;
      log.info({ fingerprint: this.#fingerprint }, 'https: certificate loaded');
      if (!isFirst) this.#onChanged(read);
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#complaint) log.error({ err: error }, failed);
      this.#complaint = message;
    }
  }

  #lookLater(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(LOOK_MS, () => {
      void this.#look('https: could not read the certificate, the old one stays').then(() =>
        this.#lookLater(),
      );
    });
  }
}
