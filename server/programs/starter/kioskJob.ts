import { FaceplateError } from '../../contract/errors.ts';
import { type JobOptions, parseJob } from './jobRequest.ts';

/** Does one job of the service as ourselves, the kiosk's user. */
export async function doKioskJob(line: string, options: JobOptions): Promise<void> {
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
