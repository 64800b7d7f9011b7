import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Session } from 'electron';
import { PageEntries } from '../server/kiosk/pageEntries.ts';
import { PERMISSIONS } from '../server/kiosk/permissions.ts';
import { Refusals } from '../server/kiosk/refusals.ts';
import { systemClock } from '../server/platform/clock.ts';
import { silentLogger } from '../server/platform/log.ts';
import { lockSession } from './guards.ts';
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
