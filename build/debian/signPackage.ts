import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Signer } from '../packages/updateKeys.ts';

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
