import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from 'electron';
import { silentLogger } from '../server/observe/log.ts';
import { lockSession } from './lockSession.ts';

// A double written by hand from electron.d.ts: these tests never ran in Electron itself.
type RequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>;
type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>;
type DeviceHandler = NonNullable<Parameters<Session['setDevicePermissionHandler']>[0]>;

const PROJECT = 'http://p1.localhost:8080';

function lockedSession() {
  let request: RequestHandler | undefined;
  let check: CheckHandler | undefined;
  let device: DeviceHandler | undefined;
  let download: ((event: { preventDefault(): void }) => void) | undefined;
  const double = {
    setPermissionRequestHandler: (handler: RequestHandler) => {
      request = handler;
    },
    setPermissionCheckHandler: (handler: CheckHandler) => {
      check = handler;
    },
    setDevicePermissionHandler: (handler: DeviceHandler) => {
      device = handler;
    },
    on: (name: string, handler: typeof download) => {
      assert.equal(name, 'will-download');
      download = handler;
    },
  };
  const policy = { bridgeOrigins: () => [PROJECT], mayNavigate: () => true };
  lockSession(double as unknown as Session, policy, silentLogger());
  assert.ok(request && check && device && download);
  return { request, check, device, download };
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
    const { device, download } = lockedSession();
    assert.equal(device({} as never), false);
    let prevented = false;
    download({
      preventDefault: () => {
        prevented = true;
      },
    });
    assert.equal(prevented, true);
  });
});
