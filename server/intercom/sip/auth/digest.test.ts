import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Headers } from '../message/headers.ts';
import { NO_BODY, type SipRequest, type SipResponse } from '../message/message.ts';
import { DigestClient, parseDigest } from './digest.ts';

const MUFASA = { username: 'Mufasa', password: 'Circle of Life' };

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
