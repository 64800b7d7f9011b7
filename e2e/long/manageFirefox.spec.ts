import { until } from '../../server/testing/waiting.ts';
import { Firefox } from '../firefox.ts';
import { expect, test } from '../fixtures.ts';

/** Collects what the page does not catch, until it is loaded again. */
const HEAR_FAULTS = `(window.faults = [], addEventListener('error', ({ message }) => faults.push(message)), addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason))), true)`;
const find = (id: string) => `document.querySelector('[data-testid=${id}]')`;

test('should work in Firefox too: sign in, each view, the live screen', async ({ panel }) => {
  test.slow();
  await using firefox = await Firefox.start();
  const page = await firefox.open(`${await panel.url}/manage/`, { width: 390, height: 844 });
  const untilTrue = (expression: string, what: string) =>
    until(() => page.evaluate<boolean>(expression), what, { everyMs: 100 });

  await test.step('sign in', async () => {
    await untilTrue(`${find('use-token')} !== null`, 'the sign-in');
    await page.evaluate(HEAR_FAULTS);
    await page.click('[data-testid=use-token]');
    await untilTrue(`${find('token-field')} !== null`, 'the field of the token');
    await page.click('[data-testid=token-field]');
    await page.type(await panel.token());
    await page.click('[data-testid=sign-in]');
    await untilTrue(`${find('facts')}?.textContent.includes('Version') ?? false`, 'Home');
  });

  await page.evaluate(`localStorage.setItem('developer', 'on')`);
  expect(await page.evaluate('faults')).toEqual([]);
  await page.evaluate('location.reload()');
  const hrefs = (links: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('${links}')].map((link) => link.getAttribute('href').slice(2))`,
    );
  // In the new page, which has no faults yet.
  const menu = `window.faults === undefined && ${find('entry-home')} !== null && ${find('view')} !== null`;
  await untilTrue(menu, 'the menu');
  await page.evaluate(HEAR_FAULTS);
  const names: string[] = [];
  for (const first of await hrefs('.rail a')) {
    const [entry] = first.split('/');
    await page.evaluate(`location.hash = '#/${first}'`);
    await untilTrue(`${find(`entry-${entry}`)}?.getAttribute('aria-current') === 'page'`, first);
    const tabs = await hrefs('.tabs a');
    names.push(...(tabs.length > 0 ? tabs : [first]));
  }
  expect(names).toContain('system/api');
  for (const name of names) {
    await test.step(name, async () => {
      const [entry, view] = name.split('/');
      // The fleet is an entry only where others are heard.
      const link = view === undefined && entry !== 'fleet' ? `entry-${entry}` : `tab-${view ?? entry}`;
      await page.evaluate(`location.hash = '#/${name}'`);
      await untilTrue(
        `${find(link)}?.getAttribute('aria-current') === 'page' && ${find('view')}?.textContent.trim() !== '' && !document.body.textContent.includes('Loading…')`,
        name,
      );
      expect(
        await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`),
        name,
      ).toBe(0);
    });
  }

  await test.step('live', async () => {
    await page.evaluate(`location.hash = '#/screen/remote'`);
    await untilTrue(`${find('live')}?.dataset.state === 'live'`, 'the live screen');
  });
  expect(await page.evaluate('faults')).toEqual([]);
});
