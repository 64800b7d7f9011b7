import { noBrowserExtras } from '../../platform/kioskJobs.ts';
import { noExtras } from '../pageExtras.ts';
import type { WindowStack } from '../windowStack.ts';
import { Browser, type BrowserOptions } from './browser.ts';
import type { ChromiumHostOptions } from './chromiumHostOptions.ts';
import { randomNames } from './guards/pageScript.ts';
import { browserEnv, commandLine } from './process/commandLine.ts';
import { withExtras } from './process/extraFlags.ts';

/** What the host itself needs from a run of its browser. */
type HostSide = Pick<
  BrowserOptions,
  | 'sink'
  | 'onTrouble'
  | 'onArrived'
  | 'onActivity'
  | 'view'
  | 'onPicture'
  | 'screenSize'
  | 'onScreen'
  | 'report'
  | 'clock'
  | 'limits'
>;

/**
 * A browser that is not started yet, made from the host's options, with its own names for this run.
 * @param stack what places its windows; undefined for none
 * @param loginOrigins the origins that may ask for a login
 * @throws Error when the browser does not tell its version, where its name is changed
 */
export async function newBrowser(
  options: ChromiumHostOptions,
  stack: WindowStack | undefined,
  loginOrigins: readonly string[],
  host: HostSide,
): Promise<Browser> {
  const { binary, profileDir, headless, debugPort, fakeMedia = false, env, user, starter } = options;
  const apps = stack?.windows === 'apps';
  const { policy, certificates, spec, log, makeNames = randomNames } = options;
  const { browserExtras: extras = noBrowserExtras, pageExtras = noExtras } = options;
  const ours = commandLine({ profileDir, headless, apps, debugPort, fakeMedia });
  return new Browser({
    ...host,
    binary,
    flags: starter === undefined ? await withExtras(ours, extras, { binary, headless }) : [],
    extras: pageExtras,
    env: browserEnv(env, profileDir, user),
    user,
    starter:
      starter === undefined
        ? undefined
        : {
            path: starter,
            wish: { headless, apps, debugPort: debugPort ?? null, fakeMedia, loginOrigins, extras },
          },
    names: makeNames(),
    policy,
    certificates,
    spec,
    onDialog: options.onDialog,
    onKeepAwake: () => options.onKeepAwake?.(),
    stack,
    onSettingsCall: () => options.onSettingsCall?.(),
    onField: (focus) => options.onField?.(focus),
    log,
  });
}
