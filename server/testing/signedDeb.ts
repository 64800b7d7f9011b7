import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SelfSigned } from './selfSigned.ts';

const MANUAL = join(import.meta.dirname, '../../docs/install.md');

/** The lines of the manual that sign `app.deb` by `package.key`, whose certificate is `package.pem`. */
function linesOfTheManual(): string {
  const blocks = readFileSync(MANUAL, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms);
  const lines = [...blocks].map(([, block]) => block!).find((block) => block.includes('openssl cms -sign'));
  if (lines === undefined) throw new Error('docs/install.md does not say how to sign a package.');
  return lines;
}

/** Signs a package file, exactly as docs/install.md says. */
export function signDeb(path: string, { key, cert }: Pick<SelfSigned, 'key' | 'cert'>): void {
  const folder = mkdtempSync(join(tmpdir(), 'faceplate-sign-'));
  const deb = join(folder, 'app.deb');
  try {
    writeFileSync(join(folder, 'package.key'), key);
    writeFileSync(join(folder, 'package.pem'), cert);
    writeFileSync(deb, readFileSync(path));
    execFileSync('sh', ['-e', '-c', linesOfTheManual()], { cwd: folder, stdio: 'pipe' });
    writeFileSync(path, readFileSync(deb));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Appends a member to a package file (ar(5)). */
export function appendMember(path: string, name: string, content: Buffer | string): void {
  const bytes = Buffer.from(content);
  const padding = statSync(path).size % 2 === 1 ? '\n' : '';
  const numbers = ['0'.padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)].join('');
  const head = `${padding}${name.padEnd(16)}${numbers}${String(bytes.length).padEnd(10)}\`\n`;
  appendFileSync(path, Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
}
