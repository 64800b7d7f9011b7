import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interfacesNow, panelUrl, reachableAddress, webOrigin } from './networks.ts';

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
