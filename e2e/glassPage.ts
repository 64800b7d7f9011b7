import type { Page } from '@playwright/test';
import type { GlassContents, GlassReply } from '../server/kiosk/glass/contract.ts';
import { test as base, expect } from './fixtures.ts';

export { expect };

/** The page of the glass, with the test in place of the service. */
export interface GlassPage {
  readonly page: Page;
  /** What the page said. */
  said(): Promise<GlassReply[]>;
  /** Draws these contents. @returns what the page answered to it */
  draw(contents: Partial<GlassContents>, language?: string): Promise<Extract<GlassReply, { drawn: number }>>;
}

interface Fixtures {
  /** Opens the page of the glass, as the service serves it, in a browser of the test. */
  openGlass(look?: { width?: number; height?: number; timezoneId?: string }): Promise<GlassPage>;
}

/** The tests of what the layer draws. */
export const test = base.extend<Fixtures>({
  openGlass: async ({ houseBrowser, panel }, use) => {
    const pages: Page[] = [];
    await use(async ({ width = 1280, height = 800, timezoneId } = {}) => {
      const zone = timezoneId === undefined ? {} : { timezoneId };
      const page = await houseBrowser.newPage({ viewport: { width, height }, ...zone });
      pages.push(page);
      await page.addInitScript(() => {
        // Pages of addresses have no door to the service.
        if (window !== window.top) return;
        const said: unknown[] = [];
        const faceplateHost = {
          post: (json: string) => said.push(JSON.parse(json)),
          listen: (receive: unknown) => Object.assign(window, { receive }),
        };
        Object.assign(window, { said, faceplateHost });
      });
      await page.goto(`http://glass.localhost:${new URL(await panel.url).port}/`);
      await page.waitForFunction(() => 'receive' in window);
      const said = () => page.evaluate(() => (window as unknown as { said: GlassReply[] }).said);
      let order = 0;
      return {
        page,
        said,
        async draw(contents, language = 'en') {
          const all = {
            message: null,
            dialog: null,
            note: null,
            saver: null,
            approval: null,
            microphone: null,
            visitor: null,
            call: null,
            ...contents,
          };
          const sent = { order: ++order, contents: all, screen: { width, height }, language };
          await page.evaluate(
            (json) => (window as unknown as { receive(json: string): void }).receive(json),
            JSON.stringify(sent),
          );
          const replies = await said();
          return replies.findLast((reply) => 'drawn' in reply && reply.drawn === order) as never;
        },
      };
    });
    for (const page of pages) await page.close();
  },
});
