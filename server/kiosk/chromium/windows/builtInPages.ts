import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import { BuiltInPages } from '../../builtInPages.ts';
import type { Browser } from '../browser.ts';
import type { BuiltInWindow } from './builtInWindow.ts';
import type { ScreenBlanker } from './screenBlanker.ts';

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
