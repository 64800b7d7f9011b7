import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Electron's program for tests: in the folder that ELECTRON_OVERRIDE_DIST_PATH names, else where the package `electron`
 * unpacks it. Never downloaded.
 * @returns its path, or why there is none to run
 */
export function findElectron(
  environment: NodeJS.ProcessEnv = process.env,
  uid: number | undefined = process.getuid?.(),
): { readonly program: string } | { readonly missing: string } {
  const folder =
    environment.ELECTRON_OVERRIDE_DIST_PATH || join(import.meta.dirname, '../../node_modules/electron/dist');
  const program = join(folder, 'electron');
  if (!existsSync(program)) return { missing: 'no Electron binary here' };
  // Its sandbox is never switched off, and with the sandbox it refuses to run as root.
  return uid === 0 ? { missing: 'Electron does not run as root' } : { program };
}
