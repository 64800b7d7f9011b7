import { after } from 'node:test';
import type { TestKiosk } from '../testKiosk.ts';
import type { LendKiosk, OpenKiosk } from './openKiosk.ts';

/**
 * `lend` gives one kiosk to several blocks, one after the other; called in the block around them. Each gets it with its
 * own pages, as if it was opened for it; the counts of recoveries go on. `open` opens another and ends the lent one, as
 * there is place for one in an Electron.
 */
export function lentKiosk(open: OpenKiosk): { readonly lend: LendKiosk; readonly open: OpenKiosk } {
  let kiosk: TestKiosk | undefined;
  const end = async (): Promise<void> => {
    const ended = kiosk;
    kiosk = undefined;
    await ended?.end();
  };
  after(end);
  return {
    lend: async (path, pages) => {
      if (kiosk === undefined) {
        kiosk = await open(path, pages, { fakeMedia: true });
        kiosk.isLent = true;
      } else await kiosk.reopen(path, pages);
      return kiosk;
    },
    open: async (...asked) => {
      await end();
      return open(...asked);
    },
  };
}
