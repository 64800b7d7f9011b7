import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import type { Logger } from '../../platform/log.ts';
import { ownAddresses, withoutZone } from '../../platform/net/addresses.ts';
import {
  makeOwnCertificate,
  StoredCertificate,
  type TlsIdentity,
} from '../../platform/tls/ownCertificate.ts';
import type { CertificateSource } from './service.ts';

/** The settings that say where the certificate comes from. */
interface CertificateSettings {
  readonly dataDir: string;
  readonly 'https.port': number | 'off';
  readonly 'https.certificate': string;
  readonly 'https.key': string;
}

/**
 * Where the certificate of HTTPS comes from; null while HTTPS is off.
 * @param allowedHosts further names of the panel, asked again and again
 */
export function certificateSource(
  settings: CertificateSettings,
  allowedHosts: () => readonly string[],
  log: Logger,
): CertificateSource | null {
  if (settings['https.port'] === 'off') return null;
  const [certificate, key] = [settings['https.certificate'], settings['https.key']];
  if (certificate !== '' || key !== '') return new CertificateFiles(certificate, key);
  return new SelfSignedCertificate({
    dataDir: settings.dataDir,
    names: () => ownNames(hostname(), allowedHosts(), ownAddresses()),
    now: Date.now,
    log,
  });
}

/** The certificate and the key in the files that the settings name. */
export class CertificateFiles implements CertificateSource {
  readonly #certificate: string;
  readonly #key: string;

  constructor(certificate: string, key: string) {
    this.#certificate = certificate;
    this.#key = key;
  }

  async read(): Promise<TlsIdentity> {
    const cert = await readPem('https.certificate', this.#certificate);
    const key = await readPem('https.key', this.#key);
    assertCompatible({ cert, key });
    return { cert, key };
  }
}

async function readPem(setting: string, path: string): Promise<string> {
  if (path === '') throw new Error(`${setting} is not set, and belongs to the other file`);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const errno = errnoOf(error);
    throw new Error(
      `${setting} cannot be read: ${errno === undefined ? 'unknown reason' : errnoWords(errno)}`,
      {
        cause: error,
      },
    );
  }
}

/** @throws Error whose message is a clause for people; the texts of OpenSSL are only its cause */
function assertCompatible({ cert, key }: TlsIdentity): void {
  const certificate = attempt(
    'https.certificate holds no certificate in PEM',
    () => new X509Certificate(cert),
  );
  const privateKey = attempt('https.key holds no private key in PEM without a passphrase', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error('https.key does not belong to https.certificate');
  attempt('https.certificate and https.key cannot be used for TLS', () => createSecureContext({ cert, key }));
}

function attempt<T>(words: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new Error(words, { cause: error });
  }
}

const DAY_MS = 86_400_000;
/** Browsers take no server certificate that is valid for more than 398 days. */
const VALID_DAYS = 397;
/** Renewed so long before it ends, in days. */
const RENEW_DAYS = 30;

/** What the panel is called by. */
export interface OwnNames {
  /** Its common name. */
  readonly name: string;
  /** Host names, also with a `*` as first label. */
  readonly names: readonly string[];
  /** Without zones. */
  readonly addresses: readonly string[];
}

interface OwnPairOptions {
  /** The pair is stored in `<dataDir>/https-certificate.json`, mode 0600. */
  readonly dataDir: string;
  /** Asked on every read: names and addresses change while the panel runs. */
  readonly names: () => OwnNames;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * The certificate that the panel makes for itself, and makes anew before it ends and for a name or an address that it
 * lacks. One that is gone is no reason: an address that changes often must not change the fingerprint each time.
 */
export class SelfSignedCertificate implements CertificateSource {
  readonly #options: OwnPairOptions;
  readonly #file: StoredCertificate;
  #isLoaded = false;

  constructor(options: OwnPairOptions) {
    this.#options = options;
    this.#file = new StoredCertificate(join(options.dataDir, 'https-certificate.json'), options.log);
  }

  /** @throws Error, also when the pair cannot be stored: after a restart, callers would meet another one */
  async read(): Promise<TlsIdentity> {
    if (!this.#isLoaded) await this.#file.load();
    this.#isLoaded = true;
    const stored = this.#file.value;
    const wanted = this.#options.names();
    return stored !== null && this.#isGood(stored, wanted) ? stored : this.#make(wanted);
  }

  /** A certificate that is valid only later is good: then the clock is wrong, as after a long time without power. */
  #isGood({ cert }: TlsIdentity, { names, addresses }: OwnNames): boolean {
    const certificate = new X509Certificate(cert);
    const left = Date.parse(certificate.validTo) - this.#options.now();
    const held = new Set(certificate.subjectAltName?.split(', '));
    return (
      left > RENEW_DAYS * DAY_MS &&
      names.every((name) => held.has(`DNS:${name}`)) &&
      addresses.every((address) => certificate.checkIP(address) !== undefined)
    );
  }

  async #make({ name, names, addresses }: OwnNames): Promise<TlsIdentity> {
    const now = this.#options.now();
    const notBefore = new Date(now - DAY_MS);
    const notAfter = new Date(now + (VALID_DAYS - 1) * DAY_MS);
    const made = await makeOwnCertificate(name, { names, addresses, notBefore, notAfter });
    const fingerprint = await this.#file.save(made);
    this.#options.log.info({ fingerprint, names, addresses }, 'https: certificate created');
    return made;
  }
}

/**
 * What browsers in the house may call a panel by.
 * @param hostName of the machine, short or full
 * @param allowed the further names of `http.allowedHosts`
 */
export function ownNames(
  hostName: string,
  allowed: readonly string[],
  addresses: readonly { readonly address: string }[],
): OwnNames {
  const own = hostName.toLowerCase();
  const short = own.split('.')[0]!;
  const names = [own, short, `${short}.local`, 'localhost', ...allowed.map((name) => name.toLowerCase())];
  return {
    name: hostName,
    // The host name is what an administrator typed; a certificate takes no other characters.
    names: [...new Set(names)].filter((name) => /^[a-z0-9*_.-]+$/.test(name)),
    addresses: [...new Set(addresses.map(({ address }) => withoutZone(address)))],
  };
}
