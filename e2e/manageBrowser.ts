import type { BrowserContext, Page } from '@playwright/test';
import type { FaceplateProcess } from '../server/testing/faceplateProcess.ts';
import { test as base, expect } from './fixtures.ts';

export { expect };

/** How somebody in the house looks at the panel. */
interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly locale?: string;
  /** What follows `/manage/` in the address. */
  readonly at?: string;
  /** Signed in already, with this token. */
  readonly token?: string;
  /** With keys, calls and the views for developers. */
  readonly developer?: boolean;
}

/** A page of a browser in the house, and what it complained about. */
export interface House {
  readonly page: Page;
  /** Errors of its console and exceptions; failed requests among them. */
  readonly complaints: string[];
}

interface Fixtures {
  /** Opens /manage/ in a browser that is not the panel's own. */
  openManage(service: FaceplateProcess, look?: Look): Promise<House>;
}

/** The tests of /manage/ in a browser of the house. */
export const test = base.extend<Fixtures>({
  openManage: async ({ houseBrowser }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (service, look = {}) => {
      const {
        width = 1280,
        height = 800,
        scheme = 'light',
        locale = 'en-GB',
        at = '',
        token,
        developer,
      } = look;
      const context = await houseBrowser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        locale,
        reducedMotion: 'reduce',
      });
      contexts.push(context);
      const url = await service.url;
      if (token !== undefined)
        await context.addInitScript(`localStorage.setItem('token', ${JSON.stringify(token)})`);
      if (developer) await context.addInitScript(`localStorage.setItem('developer', 'on')`);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(`${url}/manage/${at}`);
      return { page, complaints };
    });
    for (const context of contexts) await context.close();
  },
});
