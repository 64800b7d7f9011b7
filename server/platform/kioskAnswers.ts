import { catalogue, type ErrorCode, FaceplateError } from '../contract/errors.ts';
import { askStarter, type JobAnswer } from './kioskJobs.ts';

/** As `askStarter`, but for calls. @throws FaceplateError HARDWARE_ERROR when the starter gives no answer */
export async function askKiosk(...asked: Parameters<typeof askStarter>): ReturnType<typeof askStarter> {
  try {
    return await askStarter(...asked);
  } catch (cause) {
    throw new FaceplateError('HARDWARE_ERROR', 'The starter of the kiosk did not answer.', { cause });
  }
}

/** @throws FaceplateError as the starter says */
export function checkAnswer({ code, error }: JobAnswer): void {
  if (code === undefined) return;
  const known = Object.hasOwn(catalogue, code) ? (code as ErrorCode) : 'HARDWARE_ERROR';
  throw new FaceplateError(known, error);
}
