// The root helper of the Debian package: systemd starts it for each connection of the service, with the socket as its
// standard input and output (build/linux/systemd/faceplate-helper@.service). One line in, one line out.
import { join } from 'node:path';
import { installedRecordSchema } from '../drivers/apps/desktop/installedRecord.ts';
import { createLogger } from '../observe/log.ts';
import { StateFile } from '../store/stateFile.ts';
import { answerRequest } from './packageHelper.ts';

/** Longest request, in characters, and longest wait for it, in milliseconds. */
const MAX_REQUEST = 8_192;
const REQUEST_MS = 10_000;

const { FACEPLATE_APPS_INSTALL_DIR, STATE_DIRECTORY } = process.env;
if (STATE_DIRECTORY === undefined)
  throw new Error('STATE_DIRECTORY is not set: systemd starts this program.');

const line = await readLine();
const record = new StateFile({
  path: join(STATE_DIRECTORY, 'installed-packages.json'),
  schema: installedRecordSchema,
  defaults: {},
  log: createLogger('info'),
});
const installDir = FACEPLATE_APPS_INSTALL_DIR || '/var/lib/faceplate/packages';
process.stdout.write(`${JSON.stringify(await answerRequest(line, { installDir, record }))}\n`);

/** The first line of standard input; what is too long or too late is cut off and so no JSON. */
async function readLine(): Promise<string> {
  const late = setTimeout(() => process.exit(1), REQUEST_MS);
  let received = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    received += chunk as string;
    if (received.includes('\n') || received.length > MAX_REQUEST) break;
  }
  clearTimeout(late);
  return received.slice(0, MAX_REQUEST).split('\n')[0]!;
}
