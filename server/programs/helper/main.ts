// The root helper of the Debian package: systemd starts it for each connection of the service, with the socket as its
// standard input and output (build/linux/systemd/faceplate-helper@.service). One line in, one line out.
import { join } from 'node:path';
import { packageRecord } from '../../parts/apps/desktop/installedRecord.ts';
import { GRUBENV } from '../../parts/update/grubenv.ts';
import { MANIFEST } from '../../parts/update/oldestVersion.ts';
import { bootSlot } from '../../platform/bootSlot.ts';
import { createLogger } from '../../platform/log.ts';
import { answerRequest } from './packageHelper.ts';
import { PACKAGE_KEYS, trustedKeys, UPDATE_KEYS } from './trustedKeys.ts';

/** Longest request, in characters, and longest wait for it, in milliseconds. */
const MAX_REQUEST = 256 * 1024;
const REQUEST_MS = 10_000;

const { FACEPLATE_APPS_INSTALL_DIR, FACEPLATE_DATA_DIR, STATE_DIRECTORY } = process.env;
if (STATE_DIRECTORY === undefined)
  throw new Error('STATE_DIRECTORY is not set: systemd starts this program.');

const line = await readLine();
const log = createLogger('info');
const record = packageRecord(STATE_DIRECTORY, log);
const installDir = FACEPLATE_APPS_INSTALL_DIR || '/var/lib/faceplate/packages';
const keys = { packages: () => trustedKeys(PACKAGE_KEYS), updates: () => trustedKeys(UPDATE_KEYS) };
const updateFolders = {
  from: join(FACEPLATE_DATA_DIR || '/var/lib/faceplate', 'update'),
  state: '/var/lib/faceplate-update',
  program: '/usr/lib/faceplate/update/prove.sh',
  manifest: MANIFEST,
};
const slots = {
  slot: bootSlot(),
  grubenv: GRUBENV,
  from: updateFolders.from,
  state: updateFolders.state,
  manifest: MANIFEST,
};
// A service that has ended meanwhile gets no answer, and the work continues.
process.stdout.on('error', () => {});
const say = (words: object) => void process.stdout.write(`${JSON.stringify(words)}\n`);
const onProgress = (progress: number) => say({ progress });
const provision = { boot: '/boot/efi', chosenName: '/data/system/hostname.chosen' };
say(
  await answerRequest(line, { installDir, record, keys, updateFolders, slots, provision, onProgress, log }),
);

/** The first line of standard input; a line that is too long or too late is cut off and so is not valid JSON. */
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
