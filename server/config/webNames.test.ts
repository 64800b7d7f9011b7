import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settingDeclarations } from './settings.ts';

const isTaken = (key: keyof typeof settingDeclarations, value: unknown): boolean =>
  settingDeclarations[key].schema.safeParse(value).success;

describe('names and origins that open the panel', () => {
  test('security: should take no wildcard for names that anybody can have', () => {
    for (const host of [
      '*.com',
      '*.COM',
      '*.org',
      '*.dev',
      '*.box',
      '*.xn--p1ai',
      '*',
      '*.',
      '*.*.com',
      '**.a.b',
    ])
      assert.ok(!isTaken('http.allowedHosts', [host]), host);
    for (const host of ['*.example.org', '*.fritz.box', '*.home.arpa', 'com', 'panel.lan', 'panel'])
      assert.ok(isTaken('http.allowedHosts', [host]), host);
  });

  test('should take wildcards for the endings of a house, in any case', () => {
    for (const ending of ['local', 'LAN', 'home', 'Internal', 'localdomain', 'intranet', 'private', 'corp'])
      assert.ok(isTaken('http.allowedHosts', [`*.${ending}`]), ending);
  });

  test('security: should take no wildcard in any list of origins', () => {
    for (const key of [
      'http.allowedOrigins',
      'kiosk.secureOrigins',
      'kiosk.thirdPartyCookies',
      'bridge.origins',
    ] as const) {
      for (const origin of ['http://*.com', 'http://*.example.org', 'http://*', '*', 'https://a*.lan:8443'])
        assert.ok(!isTaken(key, [origin]), `${key} ${origin}`);
      assert.ok(isTaken(key, ['http://dashboard.lan:3000']), key);
    }
  });
});
