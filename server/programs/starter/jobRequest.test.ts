import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noBrowserExtras } from '../../platform/kioskJobs.ts';
import { modeOf, parseJob } from './jobRequest.ts';

describe('a job of the starter', () => {
  const good: readonly object[] = [
    {
      job: 'browser',
      headless: false,
      apps: false,
      debugPort: null,
      fakeMedia: false,
      loginOrigins: [],
      cookieOrigins: [],
      extras: noBrowserExtras,
    },
    {
      job: 'browser',
      headless: true,
      debugPort: 0,
      apps: true,
      fakeMedia: true,
      loginOrigins: ['http://dash.example:8123'],
      cookieOrigins: [],
      extras: {
        userAgent: 'Wall/1 (x)',
        scrollbars: true,
        screenReader: true,
        browserArguments: ['--ozone-platform=x11'],
        secureOrigins: ['http://hub.lan:8123'],
      },
    },
    { job: 'end', pid: 7 },
    { job: 'memory', pid: 7 },
    { job: 'launch', packageName: 'org.example.App' },
    { job: 'write', path: '/home/kiosk/Applications/App.AppImage', size: 64 },
    { job: 'entry', name: 'App' },
    { job: 'remove', path: '/home/kiosk/Applications/App.AppImage' },
    { job: 'forget' },
    { job: 'flatpak-install' },
    { job: 'flatpak-uninstall', id: 'org.example.App' },
    { job: 'decode', kind: 'mpeg', size: 7 },
  ];
  for (const job of good) {
    test(`should be ${JSON.stringify(job)}`, () => assert.deepEqual(parseJob(JSON.stringify(job)), job));
  }

  const extras = noBrowserExtras;
  const browser = {
    job: 'browser',
    headless: false,
    apps: false,
    debugPort: null,
    fakeMedia: false,
    loginOrigins: [],
    cookieOrigins: [],
    extras,
  };
  const hostile: readonly unknown[] = [
    '',
    'id',
    '[]',
    'null',
    '"browser"',
    {},
    { job: 'run', command: 'id' },
    { job: 'constructor' },
    { job: '__proto__' },
    { job: ['browser'] },
    { ...browser, flags: ['--no-sandbox'] },
    { ...browser, env: { LD_PRELOAD: '/tmp/x.so' } },
    { ...browser, headless: '--no-sandbox' },
    { ...browser, loginOrigins: ['*'] },
    { ...browser, loginOrigins: 'http://a.example' },
    { ...browser, cookieOrigins: ['*'] },
    { ...browser, cookieOrigins: ['http://a,*'] },
    { ...browser, cookieOrigins: Array(97).fill('http://a.example') },
    { ...browser, loginOrigins: Array(65).fill('http://a.example') },
    { ...browser, extras: null },
    { ...browser, extras: { ...extras, flags: [] } },
    { ...browser, extras: { ...extras, browserArguments: ['--no-sandbox'] } },
    {
      ...browser,
      extras: { ...extras, browserArguments: ['--alsa-output-device=file:FILE=|id,FORMAT=raw'] },
    },
    { ...browser, extras: { ...extras, browserArguments: ['--webrtc-event-logging=/tmp/x'] } },
    { ...browser, extras: { ...extras, browserArguments: '--no-sandbox' } },
    { ...browser, extras: { ...extras, browserArguments: [['--no-sandbox']] } },
    { ...browser, extras: { ...extras, userAgent: 'a\n--no-sandbox' } },
    { ...browser, extras: { ...extras, secureOrigins: ['http://a,http://*'] } },
    { ...browser, extras: { ...extras, scrollbars: 'no' } },
    { ...browser, debugPort: '0 --no-sandbox' },
    { ...browser, debugPort: 65_536 },
    { ...browser, debugPort: -1 },
    { job: 'browser', headless: false, apps: false, debugPort: null },
    { job: 'end', pid: -1 },
    { job: 'end', pid: '1; reboot' },
    { job: 'end', pid: 1.5 },
    { job: 'launch', packageName: '--help' },
    { job: 'launch', packageName: '../../bin/sh' },
    { job: 'launch', packageName: 'a b' },
    { job: 'write', path: 'relative', size: 1 },
    { job: 'write', path: '/a\0b', size: 1 },
    { job: 'write', path: '/a', size: -1 },
    { job: 'write', path: '/a', size: 1e12 },
    { job: 'write', path: '/a', size: 1, mode: '4755' },
    { job: 'entry', name: 'a/b' },
    { job: 'entry', name: 'x', text: '[Desktop Entry]' },
    { job: 'flatpak-install', path: '/tmp/x' },
    { job: 'flatpak-uninstall', id: '--all' },
    { job: 'decode', kind: 'filesrc', size: 7 },
    { job: 'decode', kind: 'toString', size: 7 },
    { job: 'decode', kind: ['wav'], size: 7 },
    { job: 'decode', kind: 'wav', size: -1 },
    { job: 'decode', kind: 'wav', size: 1e12 },
    { job: 'decode', kind: 'wav', size: 7, path: '/etc/passwd' },
    { job: 'decode', kind: 'wav', size: 7, elements: 'filesrc location=/etc/passwd' },
  ];
  for (const request of hostile) {
    const line = typeof request === 'string' ? request : JSON.stringify(request);
    test(`security: should not be ${line}`, () => assert.equal(parseJob(line), undefined));
  }

  test('security: should write only AppImages and the bundle that is installed next into the home', () => {
    const home = '/var/lib/faceplate-kiosk';
    assert.equal(modeOf(`${home}/Applications/App-1.2.AppImage`, home), '0755');
    assert.equal(modeOf(`${home}/.cache/faceplate/bundle.flatpak`, home), '0600');
    for (const path of [
      `${home}/.profile`,
      `${home}/Applications/../.profile.AppImage/../.profile`,
      `${home}/Applications/a/b.AppImage`,
      `${home}/Applications/..AppImage`,
      `${home}/Applications/.AppImage`,
      `${home}/Applications/App.sh`,
      `${home}/.local/share/applications/x.desktop`,
      `${home}/chromium/Default/Preferences`,
      '/etc/passwd',
    ])
      assert.equal(modeOf(path, home), undefined, path);
  });
});
