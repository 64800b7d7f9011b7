import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { joinedArguments } from '../../../platform/browserArguments.ts';
import type { BrowserExtras } from '../../../platform/kioskJobs.ts';

const VERSION_MS = 5_000;

/** Our switches with those that the settings add. @throws Error when the browser does not tell its version */
export async function withExtras(
  flags: readonly string[],
  { userAgent, scrollbars, browserArguments }: BrowserExtras,
  { binary, headless }: { readonly binary: string; readonly headless: boolean },
): Promise<string[]> {
  const further = [...browserArguments];
  if (!scrollbars) further.push('--hide-scrollbars');
  // By a switch it holds for every frame, worker and request; over DevTools it would miss some.
  if (userAgent !== '') further.push(`--user-agent=${await ownUserAgent(binary, headless)} ${userAgent}`);
  return joinedArguments(flags, further);
}

/** What Chromium calls itself: since its user agent was reduced only the first number of its version differs. */
async function ownUserAgent(binary: string, headless: boolean): Promise<string> {
  // Nothing else of our environment: the token may be in it.
  const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
  const { stdout } = await promisify(execFile)(binary, ['--version'], { timeout: VERSION_MS, env });
  const major = /(\d+)\.\d+\.\d+\.\d+/.exec(stdout)?.[1];
  if (major === undefined) throw new Error('The browser does not tell its version.');
  const name = headless ? 'HeadlessChrome' : 'Chrome';
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ${name}/${major}.0.0.0 Safari/537.36`;
}
