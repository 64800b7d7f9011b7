// The starter of the Debian package: systemd starts it as the kiosk's user for each connection of the service, with the
// socket as its standard input (build/linux/systemd/faceplate-kiosk@.service). One line in, one line out.
import { readSync, writeSync } from 'node:fs';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoOf } from '../../platform/errno.ts';
import { MAX_JOB_LINE } from '../../platform/kioskJobs.ts';
import { type JobOptions, parseJob } from './jobRequest.ts';

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

/** Does one job of the service as ourselves, the kiosk's user. */
async function doKioskJob(line: string, options: JobOptions): Promise<void> {
  const { answer, log } = options;
  const job = parseJob(line);
  if (job === undefined)
    return answer({ code: 'INVALID_REQUEST', error: 'The starter does not know this job.' });
  try {
    // Each loads only what it needs: a doorbell waits for its sound.
    if (job.job === 'decode') await (await import('./decodeJob.ts')).decodeForService(job, options);
    else await (await import('./homeJob.ts')).doHomeJob(job, options);
  } catch (error) {
    if (error instanceof FaceplateError) return answer({ code: error.code, error: error.message });
    (await log()).error({ err: error, job: job.job }, 'a job of the kiosk failed');
    answer({
      code: 'HARDWARE_ERROR',
      error: 'The starter of the kiosk failed; see journalctl -t faceplate-kiosk.',
    });
  }
}
