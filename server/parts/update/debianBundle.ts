import { appendFile } from 'node:fs/promises';
import { FaceplateError } from '../../contract/errors.ts';
import { reasonOf, runTool } from '../apps/desktop/runTool.ts';
import { isSignedBy, takeSignature } from '../apps/signedPackage.ts';
import type { Bundle } from './driver.ts';
import { knownKeys } from './knownKeys.ts';

/** Our package. */
const PACKAGE = 'faceplate';
const LOOK_TIMEOUT_MS = 60_000;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The bundles that fit a plain Debian on a machine. @param arch as Node names it */
export function debianBoard(arch: string = process.arch): string {
  return `debian-${ARCHITECTURES[arch] ?? arch}`;
}

/**
 * Looks at a package file as one of ours: a .deb whose last member signs all bytes before it. No tool reads what no known
 * key signed.
 * @param path in a folder of ours; while it is judged the file is shorter by its signature
 * @param keysPath PEM file of certificates
 * @throws FaceplateError UPDATE_FAILED where Debian's tools are missing
 */
export async function inspectDebianBundle(path: string, keysPath: string): Promise<Bundle> {
  const keys = await knownKeys(keysPath);
  try {
    const { bytes, member } = await takeSignature(path);
    try {
      if (keys === undefined || !(await isSignedBy(path, bytes, keys))) return { signature: 'unknown' };
      return await readFields(path);
    } finally {
      await appendFile(path, member);
    }
  } catch (error) {
    if (!(error instanceof FaceplateError)) throw error;
    if (error.code === 'INVALID_REQUEST') return { signature: 'none' };
    throw new FaceplateError('UPDATE_FAILED', `The bundle cannot be judged: ${error.message}`, {
      cause: error,
    });
  }
}

async function readFields(path: string): Promise<Bundle> {
  const fields = ['Package', 'Version', 'Architecture'];
  const outcome = await runTool('dpkg-deb', ['--field', path, ...fields], { timeoutMs: LOOK_TIMEOUT_MS });
  if (outcome.exitCode !== 0)
    throw new FaceplateError('INVALID_REQUEST', `This is no package: ${reasonOf(outcome)}.`);
  const of = (name: string) => new RegExp(`^${name}: (\\S+)$`, 'm').exec(outcome.output)?.[1] ?? '';
  if (of('Package') !== PACKAGE) return { signature: 'none' };
  return { signature: 'known', version: of('Version'), board: `debian-${of('Architecture')}` };
}
