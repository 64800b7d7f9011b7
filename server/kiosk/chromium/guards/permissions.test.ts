import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '../../../platform/log.ts';
import { PERMISSIONS } from '../../permissions.ts';
import type { DevTools } from '../../testing/devTools.ts';
import { kioskForTests } from '../../testing/suite/kioskForTests.ts';
import { TestKiosk } from '../../testing/testKiosk.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';
import { grantPermissions } from '../windows/originScript.ts';

interface Protocol {
  domains: { domain: string; types?: { id: string; enum?: string[] }[] }[];
}

/** Names of the Permissions API that are not those of the protocol with hyphens. */
const WEB_NAMES: Readonly<Record<string, string>> = {
  audioCapture: 'microphone',
  videoCapture: 'camera',
  clipboardReadWrite: 'clipboard-read',
  clipboardSanitizedWrite: 'clipboard-write',
  durableStorage: 'persistent-storage',
  sensors: 'gyroscope',
  wakeLockScreen: 'screen-wake-lock',
};
const webName = (name: string) =>
  WEB_NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const isGranted = (name: string) =>
  Object.values(PERMISSIONS).some(({ holder, chromium }) => holder === 'project' && chromium.includes(name));

describe('permissions in Chromium', () => {
  let kiosk: TestKiosk;
  let devTools: DevTools;
  kioskForTests(
    () => TestKiosk.open('/', { '/': '<h1>home</h1>' }, { fakeMedia: true }),
    (opened) => {
      ({ kiosk, devTools } = opened);
    },
  );
  const knownNames = async () => {
    const answer = await fetch(`http://127.0.0.1:${kiosk.debugPort}/json/protocol`);
    const { domains } = (await answer.json()) as Protocol;
    const types = domains.find(({ domain }) => domain === 'Browser')?.types ?? [];
    return types.find(({ id }) => id === 'PermissionType')?.enum ?? [];
  };

  test('security: each permission that this Chromium knows is granted to the project or refused, never asked for', async () => {
    const names = await knownNames();
    assert.ok(names.length > 30, names.join());
    const states = await devTools.evaluate<Record<string, string | null>>(`(async () => {
      const states = {};
      for (const [name, web] of ${JSON.stringify(names.map((name) => [name, webName(name)]))})
        states[name] = await navigator.permissions.query({ name: web }).then(({ state }) => state, () => null);
      return states;
    })()`);
    const queried = names.filter((name) => states[name] !== null);
    assert.ok(queried.length >= 20, JSON.stringify(states));
    assert.deepEqual(
      Object.fromEntries(queried.map((name) => [name, states[name]])),
      Object.fromEntries(queried.map((name) => [name, isGranted(name) ? 'granted' : 'denied'])),
    );
  });

  test('should know to whom it grants each permission of this Chromium', async () => {
    const inTable = Object.values(PERMISSIONS).flatMap(({ chromium }) => chromium);
    assert.deepEqual(
      (await knownNames()).filter((name) => !inTable.includes(name)),
      [],
    );
  });

  test('security: what a page of another origin requests is refused at once, without asking anybody', async () => {
    kiosk.mayNavigate = () => true;
    await kiosk.host.navigate(`${kiosk.origin('evil')}/`);
    await kiosk.untilTrue(`location.host.startsWith('evil') && document.readyState === 'complete'`);
    const answers = await kiosk.evaluate<string[]>(`Promise.all([
      Notification.requestPermission(),
      navigator.mediaDevices.getUserMedia({ video: true }).catch(({ name }) => name),
      navigator.requestMIDIAccess({ sysex: true }).catch(({ name }) => name),
      navigator.clipboard.readText().catch(({ name }) => name),
      navigator.storage.persist(),
      IdleDetector.requestPermission().catch(({ name }) => name),
      getScreenDetails().catch(({ name }) => name),
      new Promise((resolve) => navigator.geolocation.getCurrentPosition(resolve, ({ code }) => resolve(code))),
    ])`);
    assert.deepEqual(answers, [
      'denied',
      'NotAllowedError',
      'NotAllowedError',
      'NotAllowedError',
      false,
      'denied',
      'NotAllowedError',
      1,
    ]);
  });

  test('should grant the rest when another Chromium lacks a permission', async () => {
    const asked: (readonly string[])[] = [];
    const send = (async (_method: string, { permissions }: { permissions: readonly string[] }) => {
      asked.push(permissions);
      if (permissions.includes('sensors')) throw new Error('Unknown permission type: sensors');
    }) as unknown as CdpSend;
    await grantPermissions(send, 'http://p1.localhost', silentLogger());
    assert.equal(asked.length, 2);
    assert.deepEqual(
      asked[1],
      asked[0]!.filter((name) => name !== 'sensors'),
    );
    assert.ok(asked[1]!.includes('videoCapture'));
  });
});
