import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporaryFolder.ts';

/** A certificate authority for tests, made by openssl. */
export class HouseAuthority {
  readonly #folder = temporaryFolder('authority');
  /** Its certificate, a PEM file. */
  readonly file = join(this.#folder, 'ca.pem');
  #count = 0;

  constructor() {
    const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=house';
    this.#openssl([...kind.split(' '), '-keyout', this.#keyFile, '-out', this.file]);
  }

  /** Key and certificate of a server. @param names such as `DNS:p1.localhost,IP:127.0.0.1` @param days negative: expired */
  issue(names: string, days = 2): { key: string; cert: string } {
    const base = join(this.#folder, `server${++this.#count}`);
    const [key, request, cert, extensions] = ['.key', '.csr', '.pem', '.ext'].map((end) => base + end) as [
      string,
      string,
      string,
      string,
    ];
    const kind = 'req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=server';
    this.#openssl([...kind.split(' '), '-keyout', key, '-out', request]);
    writeFileSync(extensions, `subjectAltName=${names}\nbasicConstraints=CA:FALSE\n`);
    this.#openssl([
      ...['x509', '-req', '-in', request, '-CA', this.file, '-CAkey', this.#keyFile],
      ...['-CAcreateserial', '-extfile', extensions, '-out', cert, '-days', String(days)],
    ]);
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  }

  get #keyFile(): string {
    return join(this.#folder, 'ca.key');
  }

  #openssl(args: readonly string[]): void {
    execFileSync('openssl', [...args], { stdio: 'ignore' });
  }
}
