import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noExtras } from '../server/kiosk/pageExtras.ts';
import { PageInjections, PageLogins } from './pageExtras.ts';
import { Targets } from './targets.ts';
import { FakeApp } from './testing/fakeApp.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { FakePage } from './testing/fakePage.ts';
import { FakeSession } from './testing/fakeSession.ts';

test('should give a page its scripts once, new ones in their place, and attach to no page without them', async () => {
  const page = new FakePage();
  page.tools.answers.set('Page.addScriptToEvaluateOnNewDocument', { identifier: '7' });
  let inject: { origin: string; js: string }[] = [];
  const injections = new PageInjections({
    targets: new Targets({ onEvent: () => {} }),
    extras: { ...noExtras, inject: () => inject },
  });
  await injections.give(page.real);
  assert.equal(page.tools.attached, 0);
  inject = [{ origin: 'http://hub.lan', js: 'one()' }];
  // A page that was sent nowhere yet answers once it is.
  const first = injections.give(page.real);
  await injections.give(page.real);
  await page.loadURL('http://hub.lan/');
  await first;
  inject = [{ origin: 'http://hub.lan', js: 'two()' }];
  await injections.give(page.real);
  assert.deepEqual(
    page.tools.sent.map(({ method }) => method).filter((method) => /Script/.test(method)),
    [
      'Page.addScriptToEvaluateOnNewDocument',
      'Page.addScriptToEvaluateOnNewDocument',
      'Page.removeScriptToEvaluateOnNewDocument',
    ],
  );
});

// Which requests carry a login is a matter of real pages: the suite of both hosts (loginTests.ts).

const policy = { bridgeOrigins: () => [], mayNavigate: () => true };

test('security: should answer a server that asks with no login, which the browser would keep, and tell it', () => {
  const app = new FakeApp();
  const refused: string[] = [];
  const logins = new PageLogins({
    app: app.real,
    policy,
    extras: {
      ...noExtras,
      logins: () => [{ origin: 'http://hub.lan:8123', username: 'anna', password: 'secret' }],
    },
    onRefused: (origin) => refused.push(origin),
  });
  logins.start([new FakeSession().real]);
  let given: unknown[] | undefined;
  const event = eventOf();
  const info = { isProxy: false, scheme: 'basic', realm: 'a', host: 'hub.lan', port: 8123 };
  app.listeners.emit('login', event, null, {} as never, info, (...words: unknown[]) => {
    given = words;
  });
  assert.deepEqual([event.defaultPrevented, given, refused], [true, [], ['http://hub.lan:8123']]);
  logins.stop();
  assert.equal(app.listeners.count('login'), 0);
});
