import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from 'electron';
import { silentLogger } from '../server/observe/log.ts';
import { lockSession } from './lockSession.ts';
import { eventOf, FakeSession } from './testing/electronDouble.ts';

// Over the double of testing/electronDouble.ts: these tests never ran in Electron itself.
type RequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>;

const PROJECT = 'http://p1.localhost:8080';

function lockedSession() {
  const session = new FakeSession();
  const policy = { bridgeOrigins: () => [PROJECT], mayNavigate: () => true };
  lockSession(session.real, policy, silentLogger());
  const { request, check, device, listeners } = session;
  assert.ok(request && check && device);
  return { request, check, device, listeners };
}

describe("the lock on Electron's session (played by a double)", () => {
  test('security: setPermissionRequestHandler grants a project its top page alone', () => {
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

  test('security: setDevicePermissionHandler gives no device, and will-download is refused', () => {
    const { device, listeners } = lockedSession();
    assert.equal(device({} as never), false);
    const event = eventOf();
    listeners.emit('will-download', event);
    assert.equal(event.defaultPrevented, true);
  });
});
