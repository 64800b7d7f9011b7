import { Browser, type BrowserOptions } from './browser.ts';
import type { ChromiumHostOptions } from './chromiumHostOptions.ts';
import { randomNames } from './guards/pageScript.ts';
import { browserEnv, commandLine } from './process/commandLine.ts';

/** What the host itself needs from a run of its browser. */
type HostSide = Pick<
  BrowserOptions,
  'sink' | 'onTrouble' | 'onArrived' | 'onActivity' | 'onPicture' | 'report' | 'clock' | 'limits'
>;

/**
 * A browser that is not started yet, made from the host's options, with its own names for this run.
 * @param loginOrigin the one origin that may ask for a login, which its address brings; null for none
 */
export function newBrowser(
  options: ChromiumHostOptions,
  loginOrigin: string | null,
  host: HostSide,
): Browser {
  const { binary, profileDir, headless, debugPort, fakeMedia = false, env, user, starter } = options;
  const { policy, certificates, spec, log, makeNames = randomNames } = options;
  return new Browser({
    ...host,
    binary,
    flags: commandLine({ profileDir, headless, debugPort, fakeMedia }),
    env: browserEnv(env, profileDir, user),
    user,
    starter:
      starter === undefined
        ? undefined
        : { path: starter, wish: { headless, debugPort: debugPort ?? null, fakeMedia, loginOrigin } },
    names: makeNames(),
    policy,
    certificates,
    spec,
    onSettingsCall: () => options.onSettingsCall?.(),
    log,
  });
}
