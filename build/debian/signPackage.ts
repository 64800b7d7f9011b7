import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Who signs: a private key and its certificate, PEM files. */
export interface Signer {
  readonly key: string;
  readonly certificate: string;
}

/**
 * The developer's own key, made at the first use: `update.key` (0600) and `update.pem` in `$XDG_CONFIG_HOME/faceplate`.
 * A panel trusts it only once somebody puts the certificate there.
 */
export function developerSigner(environment: NodeJS.ProcessEnv = process.env): Signer {
  const folder = join(environment.XDG_CONFIG_HOME || join(homedir(), '.config'), 'faceplate');
  const signer = { key: join(folder, 'update.key'), certificate: join(folder, 'update.pem') };
  if (existsSync(signer.key) && existsSync(signer.certificate)) return signer;
  if (existsSync(signer.key) || existsSync(signer.certificate))
    throw new Error(
      `${folder} holds one of update.key and update.pem alone: bring the other back, or move it away.`,
    );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const making = mkdtempSync(join(folder, 'new-'));
  try {
    const made = { key: join(making, 'update.key'), certificate: join(making, 'update.pem') };
    const subject = ['-subj', '/CN=Faceplate developer', '-days', '7300'];
    const files = ['-keyout', made.key, '-out', made.certificate];
    // openssl makes the key readable by its owner alone.
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:3072', '-nodes', ...subject, ...files], {
      stdio: 'pipe',
    });
    execFileSync('chmod', ['600', made.key]);
    execFileSync('mv', ['-n', made.key, made.certificate, folder]);
  } finally {
    rmSync(making, { recursive: true });
  }
  return signer;
}

/** Longest name of an ar member, and the one of the signature (ar(5)). */
const MEMBER = '_cmsorigin'.padEnd(16);

/** Signs a package: CMS, DER, detached, over all bytes, as its new last ar member. */
export function signPackage(file: string, { key, certificate }: Signer): void {
  const work = mkdtempSync(join(tmpdir(), 'faceplate-sign-'));
  try {
    const origin = join(work, 'origin.der');
    const who = ['-signer', certificate, '-inkey', key];
    const what = ['-in', file, '-out', origin];
    execFileSync('openssl', ['cms', '-sign', '-binary', '-outform', 'DER', ...who, ...what], {
      stdio: 'pipe',
    });
    const signature = readFileSync(origin);
    if (statSync(file).size % 2 !== 0) throw new Error(`${file} is no ar archive: its length is odd.`);
    const numbers = ['0'.padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)].join('');
    const head = `${MEMBER}${numbers}${String(signature.length).padEnd(10)}\`\n`;
    const padding = signature.length % 2 === 0 ? '' : '\n';
    appendFileSync(file, Buffer.concat([Buffer.from(head), signature, Buffer.from(padding)]));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
