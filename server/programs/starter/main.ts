// The starter of the Debian package: systemd starts it as the kiosk's user for each connection of the service, with the
// socket as its standard input (build/linux/systemd/faceplate-kiosk@.service). One line in, one line out.
import { readSync, writeSync } from 'node:fs';
import { errnoOf } from '../../platform/errno.ts';
import { MAX_JOB_LINE } from '../../platform/kioskJobs.ts';
import { doKioskJob } from './kioskJob.ts';

const SOCKET = 0;

/** Byte by byte, so that nothing after the line is read: that belongs to the browser, or to a file. */
function readLine(): string {
  const line: number[] = [];
  const byte = Buffer.alloc(1);
  while (line.length <= MAX_JOB_LINE && readSync(SOCKET, byte, 0, 1, null) === 1) {
    if (byte[0] === 10) return Buffer.from(line).toString('utf8');
    line.push(byte[0]!);
  }
  return '';
}

/** A service that waits no longer has no use for what would follow, a browser least of all. */
function write(line: string): void {
  try {
    writeSync(SOCKET, line);
  } catch (error) {
    if (errnoOf(error) !== 'EPIPE') throw error;
    process.stderr.write('the service waits no longer for the answer\n');
    process.exit(0);
  }
}

await doKioskJob(readLine(), {
  socket: SOCKET,
  env: process.env,
  answer: (answer) => write(`${JSON.stringify(answer)}\n`),
  log: async () => (await import('../../platform/log.ts')).createLogger('info'),
});
process.exit(0);
