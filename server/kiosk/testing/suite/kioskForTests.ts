import { after, before, beforeEach } from 'node:test';
import type { DevTools } from '../devTools.ts';
import type { TestKiosk } from '../testKiosk.ts';

interface OpenedKiosk {
  readonly kiosk: TestKiosk;
  readonly devTools: DevTools;
}

/**
 * One kiosk for the tests of a block, with a DevTools session in its page; called within `describe`. Before each test it
 * is back at its home page; only that origin holds the bridge and may be shown, and all records are empty.
 */
export function kioskForTests(open: () => Promise<TestKiosk>, onOpened: (opened: OpenedKiosk) => void): void {
  let kiosk: TestKiosk | undefined;
  let devTools: DevTools | undefined;

  before(async () => {
    kiosk = await open();
    devTools = await kiosk.devTools();
    onOpened({ kiosk, devTools });
  });
  after(async () => {
    devTools?.close();
    await kiosk?.[Symbol.asyncDispose]();
  });
  beforeEach(() => kiosk?.startAnew());
}
