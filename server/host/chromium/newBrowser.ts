import { Browser, type BrowserOptions } from './browser.ts';
import type { ChromiumHostOptions } from './chromiumHostOptions.ts';
import { browserEnv, commandLine } from './commandLine.ts';
import { randomNames } from './pageScript.ts';

/** What the host itself hears and knows of a run of its browser. */
type HostSide = Pick<BrowserOptions, 'sink' | 'onTrouble' | 'onArrived' | 'onActivity' | 'console' | 'clock'>;

/** A browser, not started yet, as the options of the host say: with names of its own for this run. */
export function newBrowser(options: ChromiumHostOptions, host: HostSide): Browser {
  const { binary, profileDir, headless, debugPort, fakeMedia = false, env, user } = options;
  const { policy, certificates, spec, log, makeNames = randomNames } = options;
  return new Browser({
    ...host,
    binary,
    flags: commandLine({ profileDir, headless, debugPort, fakeMedia }),
    env: browserEnv(env, profileDir, user),
    user,
    names: makeNames(),
    policy,
    certificates,
    spec,
    onSettingsCall: () => options.onSettingsCall?.(),
    log,
  });
}
