import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { earlyBrowser } from './kiosk/early.ts';
import { runProgram } from './program.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
  version: string;
};

/** The service without Electron: the system's Chromium shows the page, or no page is shown. */
void runProgram({
  version,
  given: () => process.argv.slice(2),
  createHost: async (dependencies) => (await import('./kiosk/chooseHost.ts')).chooseHost(dependencies),
  earlyBrowser,
  exit: (status) => process.exit(status),
});
