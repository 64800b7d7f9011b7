import { noBrowserExtras } from '../../platform/kioskJobs.ts';
import type { ChromiumHostOptions } from './chromiumHostOptions.ts';
import type { BrowserProcessOptions } from './process/browserProcess.ts';
import { browserEnv, commandLine, withExtras } from './process/commandLine.ts';
import { forgetDebugPort } from './process/debugPort.ts';
import { dropLockOfOtherName, writePreferences } from './process/profile.ts';

/** What decides how the browser's program is started; the same for each of its runs but for the logins. */
export type BrowserStart = Pick<
  ChromiumHostOptions,
  | 'binary'
  | 'profileDir'
  | 'headless'
  | 'debugPort'
  | 'user'
  | 'starter'
  | 'fakeMedia'
  | 'browserExtras'
  | 'env'
  | 'log'
>;

/** The program with its arguments and environment, or what the starter is asked for. */
export type BrowserProgram = Pick<BrowserProcessOptions, 'binary' | 'flags' | 'env' | 'user' | 'starter'>;

/**
 * @param apps whether its windows are bare
 * @param loginOrigins the origins that may ask for a login
 * @throws Error when the browser does not tell its version, where its name is changed
 */
export async function programOf(
  options: BrowserStart,
  apps: boolean,
  loginOrigins: readonly string[],
): Promise<BrowserProgram> {
  const { binary, profileDir, headless, debugPort, fakeMedia = false, env, user, starter } = options;
  const { browserExtras: extras = noBrowserExtras } = options;
  const ours = commandLine({ profileDir, headless, apps, debugPort, fakeMedia });
  const wish = { headless, apps, debugPort: debugPort ?? null, fakeMedia, loginOrigins, extras };
  return {
    binary,
    flags: starter === undefined ? await withExtras(ours, extras, { binary, headless }) : [],
    env: browserEnv(env, profileDir, user),
    user,
    starter: starter === undefined ? undefined : { path: starter, wish },
  };
}

/** Makes the profile ready for a program that is not running yet. */
export async function readyProfile(
  { profileDir, user, starter, debugPort, browserExtras = noBrowserExtras }: BrowserStart,
  loginOrigins: readonly string[],
): Promise<void> {
  const { secureOrigins } = browserExtras;
  if (starter === undefined) {
    await Promise.all([
      dropLockOfOtherName(profileDir, user),
      writePreferences(profileDir, user, { loginOrigins, secureOrigins }),
    ]);
  }
  // Without a port, do not look into the folder: we may have no access to it.
  if (debugPort !== undefined) await forgetDebugPort(profileDir);
}
