import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestResponse } from './digest.ts';

const MUFASA = { username: 'Mufasa', password: 'Circle of Life' };
const CNONCE = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
const NONCE = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v';

test('should give the responses of RFC 7616 section 3.9.1, which RFC 8760 adopts for SIP', () => {
  const input = {
    ...MUFASA,
    realm: 'http-auth@example.org',
    nonce: NONCE,
    method: 'GET',
    uri: '/dir/index.html',
    qop: { nc: '00000001', cnonce: CNONCE },
  };
  assert.equal(digestResponse({ ...input, algorithm: 'MD5' }), '8ca523f5e9506fed4657c9700eebdbec');
  assert.equal(
    digestResponse({ ...input, algorithm: 'SHA-256' }),
    '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
  );
});

test('should give the response of RFC 2617 section 3.5, and the form without qop', () => {
  const input = {
    algorithm: 'MD5',
    username: 'Mufasa',
    password: 'Circle Of Life',
    realm: 'testrealm@host.com',
    nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093',
    method: 'GET',
    uri: '/dir/index.html',
  } as const;
  const qop = { nc: '00000001', cnonce: '0a4f113b' };
  assert.equal(digestResponse({ ...input, qop }), '6629fae49393a05397450978507c4ef1');
  // HA1:nonce:HA2, computed with openssl.
  assert.equal(digestResponse(input), '670fd8c2df070c60b045671b8b24ff02');
});
