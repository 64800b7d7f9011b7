import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { App, Session, WebContents } from 'electron';
import type { HostCertificates } from '../server/kiosk/host.ts';
import { PERMISSIONS } from '../server/kiosk/permissions.ts';
import { PageEntries, Refusals } from '../server/kiosk/recovery/pageEntries.ts';
import { systemClock } from '../server/platform/clock.ts';
import { silentLogger } from '../server/platform/log.ts';
import { selfSigned } from '../server/testing/selfSigned.ts';
import { errorOf, judgeCertificates, lockSession, refuseClientCertificates } from './guards.ts';
import { FakeApp } from './testing/fakeApp.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { FakeSession } from './testing/fakeSession.ts';

type RequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>;

const PROJECT = 'http://p1.localhost:8080';

function lockedSession() {
  const session = new FakeSession();
  const policy = { bridgeOrigins: () => [PROJECT], mayNavigate: () => true };
  lockSession(
    session.real,
    policy,
    new Refusals(systemClock, new PageEntries({ clock: systemClock }), silentLogger()),
  );
  const { request, check, device, headers, listeners } = session;
  assert.ok(request && check && device && headers);
  return { request, check, device, headers, listeners };
}

describe("the lock on Electron's session (played by a double)", () => {
  test('security: setPermissionRequestHandler grants only the top page of a project', () => {
    const { request } = lockedSession();
    const answerTo = (
      permission: Parameters<RequestHandler>[1],
      requestingUrl: string,
      isMainFrame = true,
    ) => {
      let granted: boolean | undefined;
      request(
        null as never,
        permission,
        (answer) => {
          granted = answer;
        },
        { requestingUrl, isMainFrame } as never,
      );
      return granted;
    };
    assert.equal(answerTo('media', `${PROJECT}/`), true);
    assert.equal(answerTo('media', `${PROJECT}/`, false), false);
    assert.equal(answerTo('media', 'http://evil.localhost:8080/'), false);
    assert.equal(answerTo('media', 'about:blank'), false);
    assert.equal(answerTo('geolocation', `${PROJECT}/`), false);
    assert.equal(answerTo('notifications', `${PROJECT}/`), false);
  });

  test('security: setPermissionCheckHandler says the same', () => {
    const { check } = lockedSession();
    assert.equal(check(null, 'media', PROJECT, {} as never), true);
    assert.equal(check(null, 'media', 'http://evil.localhost:8080', {} as never), false);
    assert.equal(check(null, 'geolocation', PROJECT, {} as never), false);
  });

  test('security: each permission that Electron knows has a holder, and any other is refused', () => {
    const types = readFileSync(join(import.meta.dirname, '../node_modules/electron/electron.d.ts'), 'utf8');
    const known = /setPermissionRequestHandler\(handler: .*?permission: ((?:'[\w-]+'(?: \| )?)+)/.exec(
      types,
    )?.[1];
    const names = [...(known ?? '').matchAll(/'([\w-]+)'/g)].map((match) => match[1]!);
    assert.ok(names.length > 30, names.join());
    const named = Object.values(PERMISSIONS).flatMap(({ electron }) => electron);
    assert.deepEqual(
      names.filter((name) => !named.includes(name)),
      ['unknown'],
    );
    const { check } = lockedSession();
    const granted = names.filter((name) => check(null, name as never, PROJECT, {} as never));
    const held = Object.values(PERMISSIONS).filter(({ holder }) => holder === 'project');
    assert.deepEqual(granted.sort(), [...new Set(held.flatMap(({ electron }) => electron))].sort());
    assert.equal(check(null, 'a-later-one' as never, PROJECT, {} as never), false);
  });

  test('should keep an error that is no page from the screen, and let a login be answered', () => {
    const { headers } = lockedSession();
    const page = {} as WebContents;
    const isCancelled = (statusCode: number, type: string, resourceType = 'mainFrame') => {
      let cancel: boolean | undefined;
      const responseHeaders = { 'Content-Type': [type] };
      headers({ statusCode, responseHeaders, resourceType, webContents: page } as never, (given) => {
        cancel = given.cancel;
      });
      return cancel === true;
    };
    for (const [status, type, cancelled, error] of [
      [404, 'application/json; charset=utf-8', true, 404],
      [404, 'text/html; charset=utf-8', false, undefined],
      [500, 'text/plain', true, 500],
      [503, 'text/html', true, undefined],
      [200, 'application/json', false, undefined],
      [401, 'application/json', false, 401],
      [200, 'text/html', false, undefined],
    ] as const)
      assert.deepEqual([isCancelled(status, type), errorOf(page)], [cancelled, error], `${status} ${type}`);
    assert.equal(isCancelled(404, 'application/json', 'subFrame'), false);
  });

  test("security: a PDF is a file to be saved, which is refused, and no page of Electron's own viewer", () => {
    const { headers } = lockedSession();
    const answerTo = (responseHeaders: Record<string, string[]>) => {
      let answer: unknown;
      headers({ responseHeaders } as never, (given) => {
        answer = given;
      });
      return answer;
    };
    const pdf = { 'Content-Type': ['application/pdf'], 'Content-Disposition': ['inline'] };
    assert.deepEqual(answerTo(pdf), {
      responseHeaders: { 'Content-Type': ['application/pdf'], 'content-disposition': ['attachment'] },
    });
    assert.deepEqual(answerTo({ 'content-type': ['text/html'] }), {});
    assert.deepEqual(answerTo({}), {});
  });

  test('security: setDevicePermissionHandler gives no device, and will-download is refused', () => {
    const { device, listeners } = lockedSession();
    assert.equal(device({} as never), false);
    const event = eventOf();
    listeners.emit('will-download', event);
    assert.equal(event.defaultPrevented, true);
  });
});

// What the real Electron shows stands in server/kiosk/testing/suite/certificateTests.ts.
const { cert, fingerprint } = selfSigned();

function judging(verdict: ReturnType<HostCertificates['judgeShown']>) {
  const app = new EventEmitter();
  const judged: unknown[] = [];
  const certificates: HostCertificates = {
    mayTrust: async () => assert.fail('Electron hands the certificate over'),
    judgeShown: (server, { fingerprint256 }, reason) => {
      judged.push([server, fingerprint256, reason]);
      return verdict;
    },
    whyRefused: async () => undefined,
    onTrusted: () => () => {},
  };
  const end = judgeCertificates({
    app: app as unknown as App,
    session: {} as Session,
    certificates,
    log: silentLogger(),
  });
  const ask = (url: string, data = cert): Promise<boolean> =>
    new Promise((answer) => {
      const event = { preventDefault: () => {} };
      app.emit('certificate-error', event, {}, url, 'net::ERR_CERT_AUTHORITY_INVALID', { data }, answer);
    });
  return { app, ask, judged, end };
}

describe("Electron's event certificate-error (played by a double)", () => {
  test('security: should refuse what neither Chromium nor a pin trusts, and what is no certificate', async () => {
    const { ask, judged } = judging('refused');
    assert.equal(await ask('https://hub.local/a'), false);
    assert.equal(await ask('wss://panel.local:8443/b'), false);
    const reason = 'ERR_CERT_AUTHORITY_INVALID';
    assert.deepEqual(judged, [
      [{ host: 'hub.local', port: 443 }, fingerprint, reason],
      [{ host: 'panel.local', port: 8443 }, fingerprint, reason],
    ]);
    assert.equal(await judging('changed').ask('https://hub.local/'), false);
    assert.equal(await judging('trusted').ask('https://hub.local/', 'no certificate'), false);
  });

  test('should accept the pinned certificate, and judge none when it has ended', async () => {
    const { app, ask, end } = judging('trusted');
    assert.equal(await ask('https://hub.local/'), true);
    end();
    assert.equal(app.listenerCount('certificate-error'), 0);
  });
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
