import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedSettings } from './maskedSettings.ts';

test('security: should show of changed settings no secret, and nothing that is no setting', () => {
  const tree = {
    kiosk: { pin: '4711', url: 'http://c/' },
    sip: { password: 'x', doors: [{ name: 'y' }], enabled: true },
    token: 'x',
    log: { level: null },
    kiok: { pin: '4711' },
    terminal: 'hunter2',
  };
  assert.deepEqual(maskedSettings(tree), {
    'kiosk.pin': '…',
    'kiosk.url': 'http://c/',
    'sip.password': '…',
    'sip.doors': '…',
    'sip.enabled': true,
    token: '…',
    'log.level': null,
    kiok: '…',
    terminal: '…',
  });
  assert.deepEqual(maskedSettings('hunter2'), { '': '…' });
});
