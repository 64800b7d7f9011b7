import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Headers } from '../message/headers.ts';
import { NO_BODY, type SipRequest, type SipResponse } from '../message/message.ts';
import { DigestClient, digestResponse, parseDigest } from './digest.ts';

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

const request = (): SipRequest => ({
  kind: 'request',
  method: 'REGISTER',
  uri: 'sip:pbx.test',
  headers: new Headers(),
  body: NO_BODY,
});

function challenged(...values: string[]): SipResponse {
  const headers = Headers.of(values.map((value) => ['WWW-Authenticate', value] as const));
  return { kind: 'response', status: 401, reason: '', headers, body: NO_BODY };
}

function answerOf(client: DigestClient) {
  const signed = request();
  client.sign(signed);
  return parseDigest(signed.headers.get('authorization') ?? '');
}

test('should answer the strongest challenge, whatever the order, and count the nonce up', () => {
  const md5 = 'Digest realm="r", nonce="a", qop="auth"';
  const sha = 'Digest realm="r", nonce="b", qop="auth,auth-int", algorithm=SHA-256, opaque="o"';
  const unknown = 'Digest realm="r", nonce="c", algorithm=SHA-1024';
  for (const order of [
    [md5, sha, unknown],
    [unknown, sha, md5],
  ]) {
    const client = new DigestClient(MUFASA);
    assert.equal(client.take(challenged(...order)), true);
    const [first, second] = [answerOf(client), answerOf(client)];
    assert.deepEqual(
      [first?.get('algorithm'), first?.get('nonce'), first?.get('opaque')],
      ['SHA-256', 'b', 'o'],
    );
    assert.deepEqual(
      [first?.get('nc'), second?.get('nc'), second?.get('uri')],
      ['00000001', '00000002', 'sip:pbx.test'],
    );
  }
});

test('security: should try a password once, and again only for a stale nonce', () => {
  const client = new DigestClient(MUFASA);
  const challenge = (nonce: string, extra = '') =>
    challenged(`Digest realm="r", nonce="${nonce}", qop="auth"${extra}`);
  assert.equal(client.take(challenge('one')), true);
  assert.equal(client.take(challenge('two')), false);
  client.accepted();
  assert.equal(client.take(challenge('three')), true);
  assert.equal(client.take(challenge('four', ', stale=TRUE')), true);
  assert.equal(client.take(challenge('five', ', stale=TRUE')), false);
});

test('should answer no unsupported challenge: auth-int alone, other schemes, no nonce', () => {
  for (const value of [
    'Digest realm="r", nonce="n", qop="auth-int"',
    'Basic realm="r"',
    'Digest realm="r"',
    'Digest "',
  ])
    assert.equal(new DigestClient(MUFASA).take(challenged(value)), false, value);
});

test('security: should keep a realm from adding fields to the answer', () => {
  const client = new DigestClient({ username: 'a"b', password: 'p' });
  client.take(challenged('Digest realm="x\\", evil=\\"1", nonce="n"'));
  const fields = answerOf(client);
  assert.deepEqual(
    [fields?.get('realm'), fields?.get('username'), fields?.has('evil')],
    ['x", evil="1', 'a"b', false],
  );
});
