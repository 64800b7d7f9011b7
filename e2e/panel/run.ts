import { beginRun, endRun } from './progress.ts';

/** Before and after all tests of the virtual panel. */
export default function setUp(): () => void {
  beginRun();
  return endRun;
}
