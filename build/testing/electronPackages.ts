import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

/** What `npm run dist:electron` made. */
export interface ElectronPackages {
  /** The unpacked folder of the program. */
  readonly folder: string;
  readonly deb: string;
}

/**
 * Packs an unpacked Electron as `npm run dist:electron -- --deb` does, but quickly.
 * @param work a folder for all that is made
 * @param version another one than that of package.json
 */
export async function makeElectronPackages(
  electron: string,
  work: string,
  version?: string,
): Promise<ElectronPackages> {
  const out = join(work, `electron-packages-${version ?? 'own'}`);
  const script = join(root, 'build/packages/distElectron.ts');
  const wanted = ['--deb', '--fast', '--out', out, ...(version === undefined ? [] : ['--version', version])];
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...wanted], {
    cwd: root,
    // electron-builder leaves files in the temporary folder.
    env: { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: electron, TMPDIR: work },
    maxBuffer: 16 * 1024 * 1024,
  });
  const made = (end: string) => join(out, readdirSync(out).find((name) => name.endsWith(end))!);
  return { folder: made('unpacked'), deb: made('.deb') };
}
