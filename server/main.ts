import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { earlyBrowser } from './kiosk/early.ts';
import { browserAhead } from './start/browserAhead.ts';

const given = process.argv.slice(2);
const ahead = await browserAhead(given, process.env);
// Not earlier: loading the service takes as long as Node's own start twice over.
const { runProgram } = await import('./program.ts');

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
  version: string;
};

/** The service without Electron: the system's Chromium shows the page, or no page is shown. */
void runProgram({
  version,
  given: () => given,
  createHost: async (dependencies) => (await import('./kiosk/chooseHost.ts')).chooseHost(dependencies),
  earlyBrowser: (facts, origins) => earlyBrowser(facts, origins, ahead),
  exit: (status) => {
    ahead?.kill();
    process.exit(status);
  },
});
