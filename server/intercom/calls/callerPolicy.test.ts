import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CallerPolicy } from './callerPolicy.ts';

function policy(options: Partial<ConstructorParameters<typeof CallerPolicy>[0]> = {}) {
  const none = () => [];
  return new CallerPolicy({
    allow: [],
    allowLan: false,
    doors: [],
    networks: none,
    panels: none,
    ...options,
  });
}

describe('who may call (security)', () => {
  test('security: should let nobody in by default', () => {
    for (const address of ['127.0.0.1', '192.168.1.1', '8.8.8.8', '::1', 'fe80::1', '', 'localhost'])
      assert.ok(!policy({ networks: () => [{ address: '192.168.1.7', prefixLength: 24 }] }).mayCall(address));
  });

  test('security: should let in only what is listed, by address and by network', () => {
    const listed = policy({ allow: ['192.168.1.20', '10.1.0.0/16', 'fd00::5', 'fd01::/64'] });
    for (const address of ['192.168.1.20', '10.1.255.1', 'fd00::5', 'fd01::9', '::ffff:192.168.1.20'])
      assert.ok(listed.mayCall(address) && listed.isListed(address), address);
    for (const address of ['192.168.1.21', '10.2.0.1', 'fd00::6', 'fd01:0:0:1::9', '::ffff:192.168.1.21'])
      assert.ok(!listed.mayCall(address), address);
  });

  test('security: should let in doors without a list entry, but no panel just because it was found', () => {
    const panels = new Set(['10.0.0.5']);
    const known = policy({ doors: ['10.0.0.3'], panels: () => panels });
    assert.ok(known.mayCall('10.0.0.3') && !known.mayCall('10.0.0.5'));
    for (const address of ['10.0.0.3', '10.0.0.5']) assert.ok(!known.isListed(address), address);
    assert.ok(known.isPanel('10.0.0.5') && !known.isPanel('10.0.0.3'));
    panels.clear();
    assert.ok(!known.mayCall('10.0.0.5') && !known.isPanel('10.0.0.5'));
  });

  test('security: should let in the current networks of the panel only with allowLan', () => {
    let networks = [
      { address: '192.168.1.7', prefixLength: 24 },
      { address: 'fe80::7', prefixLength: 64 },
    ];
    const open = policy({ allowLan: true, networks: () => networks });
    for (const address of ['192.168.1.99', 'fe80::99%eth0']) assert.ok(open.mayCall(address), address);
    for (const address of ['192.168.2.1', '8.8.8.8', 'fd00::1']) assert.ok(!open.mayCall(address), address);
    assert.ok(!open.isListed('192.168.1.99'));
    networks = [{ address: '10.0.0.7', prefixLength: 8 }];
    assert.ok(open.mayCall('10.9.9.9') && !open.mayCall('192.168.1.99'));
    networks = [{ address: '0.0.0.0', prefixLength: 0 }];
    assert.ok(!open.mayCall('8.8.8.8'));
  });
});
