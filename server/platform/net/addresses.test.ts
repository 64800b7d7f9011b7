import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { test } from 'node:test';
import {
  interfacesNow,
  isLocalAddress,
  isLoopback,
  keepInterfacesReadable,
  networkOf,
  panelUrl,
  plainAddress,
  reachableAddress,
  webOrigin,
  withoutZone,
} from './addresses.ts';

const loopback = ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1'];
const elsewhere = ['8.8.8.8', '172.32.0.1', '100.64.0.1', '::ffff:8.8.8.8', '2001:db8::1', 'pbx.test', ''];

test('security: should recognise the addresses of a local network', () => {
  const local = [
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '::ffff:192.168.1.1',
    '169.254.1.1',
    'fe80::1%eth0',
  ];
  for (const address of [...loopback, ...local, 'fd00::1'])
    assert.equal(isLocalAddress(address), true, address);
  for (const address of elsewhere) assert.equal(isLocalAddress(address), false, address);
});

test('security: should recognise the addresses of this machine', () => {
  for (const address of loopback) assert.equal(isLoopback(address), true, address);
  for (const address of [...elsewhere, '10.1.2.3', 'fe80::1%eth0', 'localhost'])
    assert.equal(isLoopback(address), false, address);
});

test('should spell an address in one way, however a socket shows it', () => {
  for (const [shown, plain] of [
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['FE80::1%eth0', 'fe80::1%eth0'],
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:1', '::ffff:1'],
  ] as const)
    assert.equal(plainAddress(shown), plain);
  assert.equal(withoutZone('fe80::1%eth0'), 'fe80::1');
});

test('security: should count an IPv6 network of 64 bits as one caller', () => {
  for (const [address, network] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:a:b:c:d', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['::2', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ] as const)
    assert.equal(networkOf(address), network, address);
});

const own = (address: string, isInternal = false) =>
  ({
    address,
    family: address.includes(':') ? 'IPv6' : 'IPv4',
    netmask: '',
    prefixLength: 0,
    isInternal,
  }) as const;
const all = [own('127.0.0.1', true), own('fe80::5'), own('2001:db8::5'), own('192.168.1.5')];

test('should name the address where others reach the panel, of loopback only where there is no other', () => {
  assert.equal(reachableAddress('0.0.0.0', 8080, all), '192.168.1.5:8080');
  assert.equal(reachableAddress('::', 8080, all), '192.168.1.5:8080');
  assert.equal(reachableAddress('::', 80, all.slice(0, 3)), '[2001:db8::5]:80');
  // It listens on IPv4 alone.
  assert.equal(reachableAddress('0.0.0.0', 80, all.slice(0, 3)), '127.0.0.1:80');
  assert.equal(reachableAddress('10.0.0.1', 80, all), '10.0.0.1:80');
  assert.equal(reachableAddress('2001:db8::5', 80, all), '[2001:db8::5]:80');
  for (const host of ['127.0.0.1', 'localhost'])
    assert.equal(reachableAddress(host, 80, all), '127.0.0.1:80');
});

test('security: should keep the interfaces as they were while the system cannot tell them', () => {
  const before = interfacesNow();
  assert.notDeepEqual(before, {});
  const fails = () => {
    throw Object.assign(new Error('uv_interface_addresses'), { code: 'ERR_SYSTEM_ERROR' });
  };
  assert.deepEqual(interfacesNow(fails), before);
  assert.deepEqual(
    interfacesNow(() => ({})),
    {},
  );
  assert.deepEqual(interfacesNow(), before);
});

test('security: should lead browsers to HTTPS where it is on', () => {
  assert.match(panelUrl({ port: 8080, securePort: undefined }), /^http:\/\/.+:8080$/);
  assert.match(panelUrl({ port: 8080, securePort: 8443 }), /^https:\/\/.+:8443$/);
  assert.equal(webOrigin('10.0.0.5:8080', undefined), 'http://10.0.0.5:8080');
  assert.equal(webOrigin('10.0.0.5:8080', 443), 'https://10.0.0.5:443');
  assert.equal(webOrigin('[fd00::8080]:8080', 8443), 'https://[fd00::8080]:8443');
});

test('should read the interfaces also where all of the program is one CommonJS script', (t) => {
  const read = os.networkInterfaces;
  t.after(() => {
    os.networkInterfaces = read;
    syncBuiltinESMExports();
  });
  keepInterfacesReadable();
  interfacesNow(() => ({}));
  // As there: what is imported by name is what was put into the module.
  syncBuiltinESMExports();
  assert.deepEqual(Object.keys(interfacesNow()), Object.keys(read()));
});
