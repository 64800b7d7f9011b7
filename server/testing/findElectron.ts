import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Said wherever tests of Electron are skipped. */
export const NO_ELECTRON = 'no Electron binary here';

/**
 * Electron's program: in the folder that ELECTRON_OVERRIDE_DIST_PATH names, else where the package `electron` unpacks it.
 * Never fetched.
 * @returns undefined where there is none
 */
export function findElectron(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const folder =
    environment.ELECTRON_OVERRIDE_DIST_PATH || join(import.meta.dirname, '../../node_modules/electron/dist');
  const program = join(folder, 'electron');
  return existsSync(program) ? program : undefined;
}
