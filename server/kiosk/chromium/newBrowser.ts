import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { BuiltInPages } from '../builtInPages.ts';
import { noExtras } from '../pageExtras.ts';
import type { WindowStack } from '../windowStack.ts';
import { Browser, type BrowserOptions } from './browser.ts';
import type { BrowserProgram } from './browserProgram.ts';
import type { ChromiumHostOptions } from './chromiumHostOptions.ts';
import { randomNames } from './guards/pageScript.ts';
import type { BrowserRun } from './process/browserRun.ts';
import type { BuiltInWindow } from './windows/builtInWindow.ts';
import type { ScreenBlanker } from './windows/screenBlanker.ts';

/** What the host itself needs from a run of its browser. */
type HostSide = Pick<
  BrowserOptions,
  | 'sink'
  | 'onTrouble'
  | 'onRefused'
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
 * @param early its program, where it runs already
 */
export function newBrowser(
  options: ChromiumHostOptions,
  stack: WindowStack | undefined,
  program: BrowserProgram,
  early: BrowserRun | undefined,
  host: HostSide,
): Browser {
  const { policy, certificates, spec, log, makeNames = randomNames, pageExtras = noExtras } = options;
  return new Browser({
    ...host,
    ...program,
    early,
    extras: pageExtras,
    names: makeNames(),
    policy,
    certificates,
    spec,
    onDialog: options.onDialog,
    onKeepAwake: () => options.onKeepAwake?.(),
    keepAwakeEveryMs: options.keepAwakeEveryMs,
    stack,
    onSettingsCall: () => options.onSettingsCall?.(),
    onField: (focus) => options.onField?.(focus),
    log,
  });
}

/**
 * The built-in pages of a host, each in the browser that runs when it is opened.
 * @param browser the one that runs now
 */
export function chromiumPages(
  browser: () => Browser | undefined,
  screen: ScreenBlanker,
  tools: { readonly clock: Clock; readonly log: Logger },
): BuiltInPages<BuiltInWindow> {
  const settle = () => screen.settle();
  return new BuiltInPages({
    isReady: () => browser()?.page !== undefined,
    openWindow: (page, onGone) => browser()!.openBuiltIn(page, { mayRaise: () => !screen.isClosed, onGone }),
    settle,
    uncover: async () => {
      await settle();
      if (!screen.isClosed) await browser()?.page?.raise();
    },
    ...tools,
  });
}
