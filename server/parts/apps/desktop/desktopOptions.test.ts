import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../../platform/log.ts';
import { desktopOptions } from './desktopOptions.ts';

const nobody = { name: 'nobody', uid: 65534, gid: 65534, home: undefined };
const session = { user: undefined, starter: undefined, browser: undefined, profileDir: '/data/chromium' };
const places = { installDir: '', dataDir: '/data', log: silentLogger() };

test('should look for package files in the data folder, or where the setting says', () => {
  assert.equal(desktopOptions(session, places).installDir, '/data/packages');
  assert.equal(desktopOptions(session, { ...places, installDir: '/mnt' }).installDir, '/mnt');
});

test('should use the profile folder as the home of a user that has none', () => {
  assert.equal(desktopOptions(session, places).user, undefined);
  assert.equal(desktopOptions({ ...session, user: nobody }, places).user?.home, '/data/chromium');
  const kiosk = { ...nobody, name: 'kiosk', home: '/home/kiosk' };
  assert.deepEqual(desktopOptions({ ...session, user: kiosk }, places).user, kiosk);
});

test('security: should keep the package of the browser that the panel runs on', () => {
  const found = desktopOptions({ ...session, browser: '/usr/bin/chromium', starter: '/run/s.sock' }, places);
  assert.deepEqual(found.ownPrograms, ['/usr/bin/chromium']);
  assert.equal(found.starter, '/run/s.sock');
});
