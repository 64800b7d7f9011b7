import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutZone } from '../../platform/addresses.ts';
import type { Logger } from '../../platform/log.ts';
import { StateFile } from '../../platform/stateFile.ts';
import { makeOwnCertificate, type TlsIdentity } from '../../platform/tls/ownCertificate.ts';
import type { CertificateSource } from './driver.ts';

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
 * lacks. One that is gone is no reason: an address that comes and goes must not change the fingerprint each time.
 */
export class SelfSignedCertificate implements CertificateSource {
  readonly #options: OwnPairOptions;
  readonly #file: StateFile<TlsIdentity | null>;
  #isLoaded = false;

  constructor(options: OwnPairOptions) {
    this.#options = options;
    const path = join(options.dataDir, 'https-certificate.json');
    this.#file = new StateFile<TlsIdentity | null>({
      path,
      schema: { parse },
      defaults: null,
      log: options.log,
    });
  }

  /** @throws Error, also when the pair cannot be stored: after a restart, callers would meet another one */
  async read(): Promise<TlsIdentity> {
    if (!this.#isLoaded) await this.#load();
    const kept = this.#file.value;
    const wanted = this.#options.names();
    return kept !== null && this.#isGood(kept, wanted) ? kept : this.#make(wanted);
  }

  async #load(): Promise<void> {
    // A restored backup may be readable by others.
    if ((await this.#file.load()) !== null)
      await chmod(join(this.#options.dataDir, 'https-certificate.json'), 0o600);
    this.#isLoaded = true;
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
    await this.#file.save(made);
    const { fingerprint256: fingerprint } = new X509Certificate(made.cert);
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

/** @throws Error if it is not a certificate with its own key */
function parse(value: unknown): TlsIdentity {
  const { key, cert } = value as Partial<Record<keyof TlsIdentity, unknown>>;
  if (typeof key !== 'string' || typeof cert !== 'string') throw new Error('key or certificate is missing');
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error('the key does not belong to the certificate');
  return { key, cert };
}
