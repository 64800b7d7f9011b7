import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { certificateText, type Signer } from '../packages/updateKeys.ts';
import { ReleaseError } from './arguments.ts';

export const SUMS = 'SHA256SUMS';
export const SIGNATURE = 'SHA256SUMS.p7s';
export const CERTIFICATE = 'update.pem';
export const CONTENTS = 'CONTENTS.txt';

/** What signs or describes the files; everything else has its sum. */
const NOT_SUMMED = [SUMS, SIGNATURE];

/**
 * A folder that is made beside its place and gets its name only when it is whole. Until then it is called
 * `<out>.unfinished`.
 */
export class ReleaseFolder {
  readonly #out: string;
  readonly path: string;

  constructor(out: string) {
    this.#out = out;
    this.path = `${out}.unfinished`;
  }

  /** Makes an empty folder; removes that of an earlier try. @throws ReleaseError where `out` has something else */
  begin(): void {
    if (existsSync(this.#out) && !isRelease(this.#out))
      throw new ReleaseError(
        `${this.#out} holds something that is no release: it stays. Remove it, or name another folder by --out.`,
      );
    rmSync(this.path, { recursive: true, force: true });
    mkdirSync(this.path, { recursive: true });
  }

  /** Sums and signs the files, and gives the folder its name. The release before is replaced at this moment. */
  async finish(signer: Signer): Promise<void> {
    writeFileSync(join(this.path, CERTIFICATE), certificateText(signer.certificate));
    writeFileSync(join(this.path, SUMS), await sumsOf(this.path));
    sign(this.path, signer);
    const before = `${this.#out}.before`;
    rmSync(before, { recursive: true, force: true });
    if (existsSync(this.#out)) renameSync(this.#out, before);
    mkdirSync(dirname(this.#out), { recursive: true });
    renameSync(this.path, this.#out);
    rmSync(before, { recursive: true, force: true });
  }
}

/** Names and sizes of the files, sorted. */
export function filesOf(folder: string): { name: string; size: number }[] {
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, size: statSync(join(folder, name)).size }));
}

function isRelease(folder: string): boolean {
  const names = statSync(folder).isDirectory() ? readdirSync(folder) : ['a file'];
  return names.length === 0 || names.includes(SIGNATURE);
}

/** As sha256sum writes it, and `sha256sum --check` reads it. */
export async function sumsOf(folder: string): Promise<string> {
  let text = '';
  for (const { name } of filesOf(folder)) {
    if (NOT_SUMMED.includes(name)) continue;
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    text += `${hash.digest('hex')}  ${name}\n`;
  }
  return text;
}

/** CMS (RFC 5652), DER, detached: what update bundles have, too. */
function sign(folder: string, { key, certificate }: Signer): void {
  const who = ['-signer', certificate, '-inkey', key];
  const what = ['-in', join(folder, SUMS), '-out', join(folder, SIGNATURE)];
  execFileSync('openssl', ['cms', '-sign', '-binary', '-outform', 'DER', ...who, ...what], { stdio: 'pipe' });
  if (readFileSync(join(folder, SIGNATURE)).length === 0) throw new Error('openssl wrote no signature.');
}
