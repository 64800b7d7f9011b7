import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EarlyBrowser, earlyBrowser } from './kiosk/early.ts';
import { runProgram } from './program.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
  version: string;
};

/**
 * The service without Electron: the system's Chromium shows the page, or no page is shown. Never rejects.
 * @param given the command line without program and script
 * @param ahead the browser that runs already; it may come from another copy of its code, so no class of it is known here
 * @returns whether the service has started
 */
export function runService(given: readonly string[], ahead: EarlyBrowser | undefined): Promise<boolean> {
  return runProgram({
    version,
    given: () => given,
    createHost: async (dependencies) => (await import('./kiosk/chooseHost.ts')).chooseHost(dependencies),
    earlyBrowser: (facts, origins) => earlyBrowser(facts, origins, ahead),
    exit: (status) => {
      ahead?.kill();
      process.exit(status);
    },
  });
}
