import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noExtras } from '../server/kiosk/pageExtras.ts';
import { refuseClientCertificates } from './clientCertificates.ts';
import { PageGifts } from './pageGifts.ts';
import { Targets } from './targets.ts';
import { FakeApp } from './testing/fakeApp.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { FakePage } from './testing/fakePage.ts';
import { FakeSession } from './testing/fakeSession.ts';

const challenge = (host: string, port: number, more: object = {}) =>
  ({ isProxy: false, scheme: 'basic', realm: 'a', host, port, ...more }) as never;

test('should answer a server with its own login once, and any other, and a proxy, with none', () => {
  const app = new FakeApp();
  const refused: string[] = [];
  const logins = [{ origin: 'http://hub.lan:8123', username: 'anna', password: 'secret' }];
  const gifts = new PageGifts({
    app: app.real,
    session: () => new FakeSession().real,
    targets: new Targets({ onEvent: () => {} }),
    extras: { ...noExtras, logins: () => logins },
    onRefused: (origin) => refused.push(origin),
  });
  gifts.start();
  const asked = (info: never, firstAuthAttempt = true) => {
    let given: unknown[] = [];
    const event = { preventDefault: () => {} } as never;
    app.listeners.emit('login', event, null, { firstAuthAttempt } as never, info, (...words: unknown[]) => {
      given = words;
    });
    return given;
  };
  assert.deepEqual(asked(challenge('hub.lan', 8123)), ['anna', 'secret']);
  for (const [info, first] of [
    [challenge('hub.lan', 8123), false],
    [challenge('hub.lan', 80), true],
    [challenge('evil.lan', 8123), true],
    [challenge('hub.lan', 8123, { isProxy: true }), true],
    [challenge('hub.lan', 8123, { scheme: 'ntlm' }), true],
  ] as const)
    assert.deepEqual(asked(info, first), []);
  assert.equal(refused.length, 5);
  gifts.stop();
  assert.equal(app.listeners.count('login'), 0);
});

test('should give a page its scripts once, new ones in their place, and attach to no page without them', async () => {
  const page = new FakePage();
  page.tools.answers.set('Page.addScriptToEvaluateOnNewDocument', { identifier: '7' });
  let inject: { origin: string; js: string }[] = [];
  const gifts = new PageGifts({
    app: new FakeApp().real,
    session: () => new FakeSession().real,
    targets: new Targets({ onEvent: () => {} }),
    extras: { ...noExtras, inject: () => inject },
    onRefused: () => {},
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

test('should forget the logins that servers have taken once the settings have others', async () => {
  const session = new FakeSession();
  let logins = [{ origin: 'http://hub.lan', username: 'anna', password: 'secret' }];
  const gifts = new PageGifts({
    app: new FakeApp().real,
    session: () => session.real,
    targets: new Targets({ onEvent: () => {} }),
    extras: { ...noExtras, logins: () => logins },
    onRefused: () => {},
  });
  const forgets = async (home: string): Promise<boolean> => {
    const before = session.forgotten;
    await gifts.followLogins(home);
    return session.forgotten > before;
  };
  assert.equal(await forgets('http://hub.lan/'), false);
  assert.equal(await forgets('http://hub.lan/other'), false);
  logins = [{ ...logins[0]!, password: 'new' }];
  assert.equal(await forgets('http://hub.lan/'), true);
  assert.equal(await forgets('http://hub.lan/'), false);
  // An address may bring a login, and the next one none.
  assert.equal(await forgets('http://otto:pass@hub.lan/'), true);
  assert.equal(await forgets('http://hub.lan/'), true);
  assert.equal(session.forgotten, 3);
});

test('should show a server that asks for a certificate of the panel none, and tell it', () => {
  const app = new FakeApp();
  const log: string[] = [];
  const refusals = { tell: (what: string, { to }: { to: string }) => log.push(`${what} ${to}`) };
  const end = refuseClientCertificates(app.real, refusals as never);
  const event = eventOf();
  const answers: unknown[][] = [];
  app.listeners.emit('select-client-certificate', event, null, 'https://hub.lan/a?b=1', [], (...given) =>
    answers.push(given),
  );
  assert.deepEqual([event.defaultPrevented, answers, log.length], [true, [[]], 1]);
  end();
  assert.equal(app.listeners.count('select-client-certificate'), 0);
});
