import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noExtras } from '../server/kiosk/pageExtras.ts';
import { refuseClientCertificates } from './clientCertificates.ts';
import { PageLogins } from './pageLogins.ts';
import { FakeApp } from './testing/fakeApp.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { FakeSession } from './testing/fakeSession.ts';

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
