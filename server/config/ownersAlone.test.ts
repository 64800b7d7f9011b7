import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOwnersAlone, OUTSIDE_ONLY, type SettingKey, settingDeclarations } from './settings.ts';

/** Why each setting that `manage` may change lets neither code nor a person in. A new one needs its reason here. */
const REASONS: Readonly<Record<string, readonly SettingKey[]>> = {
  'names, words and levels: shown, and judged by nobody': [
    'device.name',
    'device.language',
    'log.level',
    'kiosk.userAgent',
  ],
  'where the panel is found: the same guard and the same tokens there': [
    'http.port',
    'http.announce',
    'http.announceInterface',
  ],
  'what is shown, in the sandbox and without the bridge: manage may show any page': [
    'kiosk.url',
    'kiosk.pages',
    'kiosk.thirdPartyCookies',
    'kiosk.parameters',
    'projects.parameters',
    'idle.saver',
    'idle.photos',
  ],
  'installs a project: manage may install any': ['kiosk.project'],
  'credentials that the panel sends to others: they open nothing here': [
    'kiosk.logins',
    'streams.logins',
    'streams.cameras',
    'mqtt.username',
    'mqtt.password',
    'sip.username',
    'sip.password',
    'update.login',
  ],
  'how the browser looks and when it restarts: a number or a choice without a path': [
    'kiosk.scrollbars',
    'kiosk.screenReader',
    'kiosk.headless',
    'kiosk.deadPageCheck',
    'kiosk.memoryLimit',
    'kiosk.quietHour',
    'kiosk.fakeMedia',
    'keyboard.enabled',
    'keyboard.layouts',
  ],
  'asks at the glass, which needs the PIN where there is one': ['wizard'],
  'what the panel does while nobody touches it: times, levels and pins that are read': [
    'idle.dimAfter',
    'idle.dimTo',
    'idle.saverAfter',
    'idle.offAfter',
    'idle.homeAfter',
    'idle.clearAtHome',
    'idle.wakePins',
  ],
  'how cameras are read: no login goes anywhere new': [
    'streams.lingerSeconds',
    'streams.udpHosts',
    'streams.oldTlsHosts',
  ],
  'which broker, by which topics: its members get mqtt.scopes, and no more than the changer holds': [
    'mqtt.url',
    'mqtt.prefix',
    'mqtt.id',
    'mqtt.groups',
    'mqtt.discovery',
  ],
  'the intercom: who may call, and by what way; nobody gets into the panel by a call': [
    'sip.enabled',
    'sip.port',
    'sip.host',
    'sip.deviceName',
    'sip.registrar',
    'sip.transport',
    'sip.srtpOverUdp',
    'sip.allow',
    'sip.allowLan',
    'sip.autoAnswer',
    'sip.discovery',
    'sip.discoveryInterface',
    'sip.doors',
    'sip.registrarServer',
    'sip.registrarAccounts',
  ],
  'versions must be signed by a key of update.keys, whatever the channel says': [
    'update.channel',
    'update.window',
  ],
};

test('security: each setting is the owner’s alone, set from outside alone, or has a reason why manage may change it', () => {
  const reasoned = Object.values(REASONS).flat();
  assert.deepEqual(
    reasoned.filter((key, at) => reasoned.indexOf(key) !== at),
    [],
    'two reasons',
  );
  const open = (Object.keys(settingDeclarations) as SettingKey[]).filter(
    (key) => !isOwnersAlone(key) && !OUTSIDE_ONLY.includes(key),
  );
  assert.deepEqual(reasoned.toSorted(), open.toSorted());
});

test('security: what lets code or a person in is declared as such', () => {
  const opening = Object.entries(settingDeclarations).flatMap(([key, it]) => ('opens' in it ? [key] : []));
  assert.deepEqual(opening.sort(), [
    'apps.installDir',
    'board',
    'bridge.aliases',
    'bridge.allowInstall',
    'bridge.origins',
    'host',
    'http.allowedHosts',
    'http.allowedOrigins',
    'http.host',
    'ir.itachPort',
    'kiosk.authorities',
    'kiosk.browserArguments',
    'kiosk.inject',
    'kiosk.pin',
    'kiosk.secureOrigins',
    'kiosk.user',
    'mqtt.authorities',
    'mqtt.certificate',
    'mqtt.fleet',
    'mqtt.key',
    'mqtt.scopes',
    'sip.panelSecret',
  ]);
});
