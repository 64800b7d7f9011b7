import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noExtras } from '../server/kiosk/pageExtras.ts';
import { PageGifts } from './pageGifts.ts';
import { Targets } from './targets.ts';
import { FakePage } from './testing/fakePage.ts';

test('should give a page its scripts once, new ones in their place, and attach to no page without them', async () => {
  const page = new FakePage();
  page.tools.answers.set('Page.addScriptToEvaluateOnNewDocument', { identifier: '7' });
  let inject: { origin: string; js: string }[] = [];
  const gifts = new PageGifts({
    targets: new Targets({ onEvent: () => {} }),
    extras: { ...noExtras, inject: () => inject },
  });
  await gifts.give(page.real);
  assert.equal(page.tools.attached, 0);
  inject = [{ origin: 'http://hub.lan', js: 'one()' }];
  // A page that was sent nowhere yet answers once it is.
  const first = gifts.give(page.real);
  await gifts.give(page.real);
  await page.loadURL('http://hub.lan/');
  await first;
  inject = [{ origin: 'http://hub.lan', js: 'two()' }];
  await gifts.give(page.real);
  assert.deepEqual(
    page.tools.sent.map(({ method }) => method).filter((method) => /Script/.test(method)),
    [
      'Page.addScriptToEvaluateOnNewDocument',
      'Page.addScriptToEvaluateOnNewDocument',
      'Page.removeScriptToEvaluateOnNewDocument',
    ],
  );
});
