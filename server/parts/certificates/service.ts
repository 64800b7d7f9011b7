import type { X509Certificate } from 'node:crypto';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { InTurn } from '../../platform/async.ts';
import { StateFile, type StateKind } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import {
  type CertificateEntry,
  type CertificateFacts,
  type CertificatesState,
  certificatesState,
  type RefusedCertificate,
} from './contract.ts';

/** Asks a TLS server for its certificate. */
export interface CertificateProbe {
  /** @throws Error when the server shows none in time. */
  ask(host: string, port: number): Promise<X509Certificate>;
  /**
   * As `ask`, of a server that one of these authorities (PEM) vouches for: name, time and chain are checked.
   * @throws Error when none does
   */
  askVouched?(host: string, port: number, authorities: readonly string[]): Promise<X509Certificate>;
}

/** How many refusals are remembered; the oldest is dropped. A page must not be able to fill the memory with hosts. */
const MAX_REFUSED = 32;
/** As many vouched hosts are remembered. */
const MAX_VOUCHED = 256;

interface CertificatesOptions {
  readonly probe: CertificateProbe;
  /** The pins are stored in `<dataDir>/certificates.json`. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Authorities of the house beside those of the system, as PEM; asked on every use. */
  readonly authorities?: () => readonly string[];
  /** Milliseconds of the calendar, for `lastSeen`. */
  readonly now?: () => number;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

interface Refusal extends Place {
  readonly certificate: RefusedCertificate;
  /** Who saw it: a real connection, or only our own question. */
  readonly met: 'connection' | 'question';
}

/** The judgement on a certificate that the system does not trust. */
type CertificateVerdict = 'trusted' | 'refused' | 'changed';

export const certificatesKind: StateKind<CertificatesState> = {
  name: 'certificates',
  schema: certificatesState,
  defaults: { pinned: [] },
};

/**
 * Trust in single certificates: a server whose certificate the system does not trust is refused and remembered, until a
 * person pins exactly this certificate for exactly this host and port. One rule for the kiosk page and for cameras.
 */
export class CertificatesService {
  readonly #options: CertificatesOptions;
  readonly #file: StateFile<CertificatesState>;
  /** By place, the oldest first. */
  readonly #refusals = new Map<string, Refusal>();
  /** Questions in flight, by place. */
  readonly #asking = new Map<string, Promise<X509Certificate>>();
  readonly #listeners = { trusted: new Set<() => void>(), forgotten: new Set<() => void>() };
  /** Certificates that an authority of the house vouched for, by host, the oldest first. */
  readonly #vouched = new Map<string, string>();
  /** Changes are made one after the other. */
  readonly #changes = new InTurn();

  constructor(options: CertificatesOptions) {
    this.#options = options;
    this.#file = StateFile.of(certificatesKind, options.dataDir, options.log);
  }

  async start(): Promise<void> {
    await this.#file.load();
  }

  async stop(): Promise<void> {
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
    await this.#changes.idle();
  }

  /**
   * Judges a certificate that the system does not trust, and remembers a refusal.
   * @param reason why it is not trusted, as a code
   */
  judge(server: Place, certificate: X509Certificate, reason: string): CertificateVerdict {
    return this.#judge(placeOf(server), factsOf(certificate), reason, 'connection');
  }

  /** Like `judge`, for a browser: it does not know the authorities of the house, which may have vouched for this one. */
  judgeShown(server: Place, certificate: X509Certificate, reason: string): CertificateVerdict {
    const place = placeOf(server);
    const facts = factsOf(certificate);
    const isVouched = this.#vouched.get(place.host) === facts.fingerprint;
    if (isVouched && this.#pinOf(place) === undefined) return 'trusted';
    return this.#judge(place, facts, reason, 'connection');
  }

  /** Like `judge`, for a browser that does not pass on the certificate: the server is asked for it. */
  async mayTrust(server: Place, reason: string): Promise<boolean> {
    const place = placeOf(server);
    if (await this.vouch(place)) return true;
    try {
      const facts = factsOf(await this.#ask(place));
      return this.#judge(place, facts, reason, 'question') === 'trusted';
    } catch (error) {
      this.#options.log.info(
        { ...place, err: error },
        'certificates: could not get the certificate of the server',
      );
      return false;
    }
  }

  /**
   * Asks a server whether an authority of the house vouches for it now. A pin for it wins: then only the pinned
   * certificate counts.
   */
  async vouch(server: Place): Promise<boolean> {
    const place = placeOf(server);
    const { probe, authorities } = this.#options;
    const known = authorities?.() ?? [];
    if (known.length === 0 || this.#pinOf(place) !== undefined || probe.askVouched === undefined)
      return false;
    try {
      const { fingerprint } = factsOf(await probe.askVouched(place.host, place.port, known));
      this.#vouched.delete(place.host);
      this.#vouched.set(place.host, fingerprint);
      const [oldest] = this.#vouched.keys();
      if (this.#vouched.size > MAX_VOUCHED && oldest !== undefined) this.#vouched.delete(oldest);
      this.#refusals.delete(keyOf(place));
      return true;
    } catch {
      return false;
    }
  }

  /** The authorities have changed: what they vouched for is asked anew, and what was refused may be trusted now. */
  authoritiesChanged(): void {
    this.#vouched.clear();
    this.#tell('trusted');
    this.#tell('forgotten');
  }

  /** @see CertificateTrust.authorities */
  authorities(): readonly string[] {
    return this.#options.authorities?.() ?? [];
  }

  /** Whether a person trusted one certificate of this place. */
  isPinned(server: Place): boolean {
    return this.#pinOf(placeOf(server)) !== undefined;
  }

  /**
   * Asks a refused server once more.
   * @returns why it is still refused, as a sentence for the screen; undefined when it was not refused, or is trusted by
   * now
   */
  async whyRefused(server: Place): Promise<string | undefined> {
    const place = placeOf(server);
    const before = this.#refusals.get(keyOf(place));
    if (before === undefined || (await this.mayTrust(place, before.certificate.reason))) return undefined;
    const { fingerprint, reason } = (this.#refusals.get(keyOf(place)) ?? before).certificate;
    const change = this.#pinOf(place) === undefined ? '' : ' It is not the one that was trusted before.';
    return `The certificate of ${place.host} is not trusted (${reason}).${change} To trust it, see the settings page. SHA-256 ${fingerprint}`;
  }

  /** Calls back whenever a certificate was pinned. @returns the function that stops the calls. */
  onTrusted(listener: () => void): () => void {
    return this.#listen('trusted', listener);
  }

  /** Calls back whenever a certificate is trusted no longer. @returns the function that stops the calls. */
  onForgotten(listener: () => void): () => void {
    return this.#listen('forgotten', listener);
  }

  list(): ResultOf<'certificates.list'> {
    const { pinned } = this.#file.value;
    const places = new Map([...pinned, ...this.#refusals.values()].map((place) => [keyOf(place), place]));
    return { certificates: [...places.values()].map((place) => this.#entry(place)) };
  }

  /**
   * Pins a certificate that was refused.
   * @throws FaceplateError NOT_FOUND (nothing was refused there), CONFLICT (the server showed another one), STORAGE_FULL
   */
  trust(params: ParamsOf<'certificates.trust'>): Promise<ResultOf<'certificates.trust'>> {
    return this.#changes.run(async () => {
      const place = placeOf(params);
      const refusal = this.#refusals.get(keyOf(place));
      if (refusal === undefined) throw notFound();
      const { reason: _reason, lastSeen: _lastSeen, ...certificate } = refusal.certificate;
      if (certificate.fingerprint !== params.fingerprint) {
        throw new FaceplateError(
          'CONFLICT',
          'The server shows a certificate with another fingerprint now. Compare it again.',
          { field: 'fingerprint' },
        );
      }
      const others = this.#file.value.pinned.filter((pin) => keyOf(pin) !== keyOf(place));
      await this.#file.save({ pinned: [...others, { ...place, ...certificate }] });
      // A refusal that came meanwhile is about another certificate: it stays.
      if (this.#refusals.get(keyOf(place)) === refusal) this.#refusals.delete(keyOf(place));
      this.#options.log.warn({ ...place, fingerprint: certificate.fingerprint }, 'certificates: pinned');
      this.#tell('trusted');
      return this.#entry(place);
    });
  }

  /** @throws FaceplateError NOT_FOUND, STORAGE_FULL */
  forget(params: ParamsOf<'certificates.forget'>): Promise<ResultOf<'certificates.forget'>> {
    return this.#changes.run(async () => {
      const place = placeOf(params);
      const key = keyOf(place);
      const others = this.#file.value.pinned.filter((pin) => keyOf(pin) !== key);
      if (this.#pinOf(place) === undefined && !this.#refusals.has(key)) throw notFound();
      await this.#file.save({ pinned: others });
      this.#refusals.delete(key);
      this.#options.log.warn(place, 'certificates: forgotten');
      this.#tell('forgotten');
      return { status: 'forgotten' };
    });
  }

  #judge(place: Place, facts: CertificateFacts, reason: string, met: Refusal['met']): CertificateVerdict {
    const key = keyOf(place);
    const pin = this.#pinOf(place);
    const before = this.#refusals.get(key);
    if (pin?.fingerprint === facts.fingerprint) {
      // A good answer to our question does not cancel what a real connection saw.
      if (met === 'connection' || before?.met === 'question') this.#refusals.delete(key);
      return 'trusted';
    }
    this.#refusals.delete(key);
    const lastSeen = new Date((this.#options.now ?? Date.now)()).toISOString();
    this.#refusals.set(key, { ...place, certificate: { ...facts, reason, lastSeen }, met });
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size > MAX_REFUSED && oldest !== undefined) this.#refusals.delete(oldest);
    if (before?.certificate.fingerprint !== facts.fingerprint) {
      const { fingerprint } = facts;
      this.#options.log.warn(
        { ...place, fingerprint, reason, changed: pin !== undefined },
        'certificates: refused',
      );
    }
    return pin === undefined ? 'refused' : 'changed';
  }

  /** Questions that arrive during another one share its answer. */
  #ask(place: Place): Promise<X509Certificate> {
    const key = keyOf(place);
    const known = this.#asking.get(key);
    if (known !== undefined) return known;
    const asked = this.#options.probe.ask(place.host, place.port).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asked);
    return asked;
  }

  #pinOf(place: Place): CertificatesState['pinned'][number] | undefined {
    return this.#file.value.pinned.find((pin) => keyOf(pin) === keyOf(place));
  }

  #entry({ host, port }: Place): CertificateEntry {
    const pin = this.#pinOf({ host, port });
    const refused = this.#refusals.get(keyOf({ host, port }))?.certificate ?? null;
    const state = pin === undefined ? 'refused' : refused === null ? 'trusted' : 'changed';
    if (pin === undefined) return { host, port, state, trusted: null, refused };
    const { host: _host, port: _port, ...trusted } = pin;
    return { host, port, state, trusted, refused };
  }

  #listen(what: 'trusted' | 'forgotten', listener: () => void): () => void {
    this.#listeners[what].add(listener);
    return () => this.#listeners[what].delete(listener);
  }

  #tell(what: 'trusted' | 'forgotten'): void {
    for (const listener of this.#listeners[what]) listener();
  }
}

/** One spelling for each place: `[::1]` and `::1`, upper and lower case, are the same host. */
function placeOf({ host, port }: Place): Place {
  return { host: host.toLowerCase().replace(/^\[(.*)\]$/, '$1'), port };
}

function keyOf({ host, port }: Place): string {
  return `${host} ${port}`;
}

function notFound(): FaceplateError {
  return new FaceplateError('NOT_FOUND', 'No certificate of this host and port was refused or trusted.');
}

const LONGEST_NAME = 200;

/** What is reported of a certificate. Its names are the server's own words: reduced to one line and shortened. */
function factsOf(certificate: X509Certificate): CertificateFacts {
  return {
    fingerprint: certificate.fingerprint256,
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    validFrom: dateOf(certificate.validFrom),
    validTo: dateOf(certificate.validTo),
  };
}

/** `CN=camera\nO=Maker` as `CN=camera, O=Maker`; undefined when it has none. */
function nameOf(name: string | undefined): string {
  const line = (name ?? '')
    .trim()
    .replaceAll('\n', ', ')
    .replaceAll(/\p{Cc}/gu, ' ');
  return line.slice(0, LONGEST_NAME);
}

/** A date outside the range of calendars counts as the beginning of time. */
function dateOf(text: string): string {
  const date = new Date(text);
  const year = date.getUTCFullYear();
  return (year >= 0 && year <= 9999 ? date : new Date(0)).toISOString();
}
