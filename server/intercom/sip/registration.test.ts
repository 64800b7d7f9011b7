import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { ScriptedPeer } from '../testing/sip/scriptedPeer.ts';
import { LOOPBACK, record, sdpFor, startAgent, type TestAgent } from '../testing/sip/testAgent.ts';
import type { SipAgentOptions } from './agentOptions.ts';
import { parseDigest } from './auth/digest.ts';
import { sentenceOf } from './registration.ts';

interface Registering extends TestAgent {
  readonly clock: FakeClock;
  readonly pbx: ScriptedPeer;
}

/** An agent on the test's clock, with a registrar whose answers are all written by the test. */
async function registering(t: TestContext, options: Partial<SipAgentOptions> = {}): Promise<Registering> {
  const clock = new FakeClock();
  let port = 0;
  const pbx = await ScriptedPeer.open(t, () => port);
  const panel = await startAgent(t, {
    clock,
    random: () => 0.5,
    registrar: `pbx.test:${pbx.port}`,
    password: 'secret',
    mayCall: () => false,
    resolver: { services: () => Promise.reject(new Error('ENODATA')), addresses: async () => [LOOPBACK] },
    ...options,
  });
  port = panel.agent.port;
  return { ...panel, clock, pbx };
}

const CHALLENGE = {
  'WWW-Authenticate': 'Digest realm="asterisk", nonce="n1", qop="auth", algorithm=SHA-256',
};

test('should register, refresh after 0.8 of what was granted with the same nonce, and unregister', async (t) => {
  const { agent, clock, pbx, registrations } = await registering(t);
  const first = await pbx.next('REGISTER');
  assert.equal(first.uri, `sip:pbx.test:${pbx.port}`);
  assert.match(first.headers.get('contact') ?? '', /^<sip:panel1@127\.0\.0\.1:\d+>;expires=300$/);
  pbx.answer(first, 401, CHALLENGE);
  const signed = await pbx.next('REGISTER', 1);
  const fields = parseDigest(signed.headers.get('authorization') ?? '');
  assert.deepEqual([fields?.get('realm'), fields?.get('username')], ['asterisk', 'panel1']);
  assert.deepEqual([signed.core.callId, signed.core.cseq.number], [first.core.callId, 2]);
  pbx.answer(signed, 200, { Contact: `${signed.headers.get('contact')!.split(';')[0]};expires=100` });
  await until(() => agent.registered);
  await clock.advance(79_999);
  assert.equal(pbx.seen.filter((what) => what === 'REGISTER').length, 2);
  await clock.advance(1);
  const refresh = await pbx.next('REGISTER', 2);
  assert.equal(parseDigest(refresh.headers.get('authorization') ?? '')?.get('nc'), '00000002');
  pbx.answer(refresh, 401, {
    'WWW-Authenticate': `${CHALLENGE['WWW-Authenticate'].replace('n1', 'n2')}, stale=true`,
  });
  const fresh = await pbx.next('REGISTER', 3);
  assert.equal(parseDigest(fresh.headers.get('authorization') ?? '')?.get('nonce'), 'n2');
  pbx.answer(fresh, 200);
  await until(() => clock.pending > 0);
  const stopped = agent.stop();
  const last = await pbx.next('REGISTER', 4);
  assert.equal(last.headers.get('expires'), '0');
  pbx.answer(last, 200);
  await stopped;
  assert.deepEqual(registrations, [true]);
});

test('should ask for the duration that the registrar wants (423)', async (t) => {
  const { agent, pbx } = await registering(t);
  pbx.answer(await pbx.next('REGISTER'), 423, { 'Min-Expires': '1800' });
  const again = await pbx.next('REGISTER', 1);
  assert.equal(again.headers.get('expires'), '1800');
  pbx.answer(again, 200);
  await until(() => agent.registered);
});

test('security: should try a wrong password once, then pause for minutes, and say why', async (t) => {
  const { clock, pbx, registrations } = await registering(t);
  pbx.answer(await pbx.next('REGISTER'), 401, CHALLENGE);
  pbx.answer(await pbx.next('REGISTER', 1), 401, {
    'WWW-Authenticate': CHALLENGE['WWW-Authenticate'].replace('n1', 'n2'),
  });
  await until(() => registrations.length === 1);
  assert.deepEqual(registrations, ['The registrar refused the user name or password (401).']);
  await clock.advance(200_000);
  assert.equal(pbx.seen.length, 2);
  await clock.advance(30_000);
  // The answer to the old nonce is not sent again.
  assert.equal((await pbx.next('REGISTER', 2)).headers.get('authorization'), undefined);
});

test('should wait as long as the registrar asks, and back off while it does not answer', async (t) => {
  const { clock, pbx, registrations } = await registering(t);
  pbx.answer(await pbx.next('REGISTER'), 503, { 'Retry-After': '120' });
  await until(() => registrations.length === 1);
  await clock.advance(119_000);
  assert.equal(pbx.seen.length, 1);
  await clock.advance(1_001);
  await pbx.next('REGISTER', 1);
  await clock.advance(32_000);
  assert.deepEqual(registrations, [
    'The registrar failed (503).',
    'The registrar cannot be reached (no answer).',
  ]);
  const isThird = (): boolean => pbx.received.some(({ core }) => core.cseq.number === 3);
  // Second failure: 10 s, reduced to three quarters by the random factor.
  await clock.advance(7_400);
  assert.equal(isThird(), false);
  await clock.advance(200);
  await until(isThird);
});

test('should say that the name of the registrar cannot be resolved', async (t) => {
  const nowhere = () => Promise.reject(new Error('ENOTFOUND'));
  const { registrations } = await registering(t, { resolver: { services: nowhere, addresses: nowhere } });
  await until(() => registrations.length === 1);
  assert.deepEqual(registrations, ['The name of the registrar, pbx.test, leads nowhere.']);
});

test('should refuse an invalid registrar', async (t) => {
  await assert.rejects(startAgent(t, { registrar: 'http://pbx' }), {
    code: 'INVALID_REQUEST',
    field: 'sip.registrar',
  });
});

test('should log in to the registrar for calls, and accept calls from it', async (t) => {
  const { agent, pbx, incoming } = await registering(t);
  pbx.answer(await pbx.next('REGISTER'), 200);
  await until(() => agent.registered);
  const call = agent.call({ kind: 'extension', extension: '9901#1' }, sdpFor());
  const { told } = record(call);
  const invite = await pbx.next('INVITE');
  assert.equal(invite.uri, `sip:9901%231@pbx.test:${pbx.port}`);
  assert.match(invite.headers.get('from') ?? '', /^"Hall" <sip:panel1@pbx\.test>/);
  pbx.answer(invite, 407, { 'Proxy-Authenticate': 'Digest realm="other", nonce="p", qop="auth"' });
  const signed = await pbx.next('INVITE', 1);
  assert.equal(parseDigest(signed.headers.get('proxy-authorization') ?? '')?.get('username'), 'panel1');
  pbx.answer(signed, 200, {}, sdpFor());
  await until(() => told.includes('accepted'));
  assert.equal(call.viaRegistrar, true);
  const gone = call.hangup();
  pbx.answersBye = false;
  pbx.answer(await pbx.next('BYE'), 407, {
    'Proxy-Authenticate': 'Digest realm="other", nonce="q", qop="auth"',
  });
  const bye = await pbx.next('BYE', 1);
  assert.ok(bye.headers.get('proxy-authorization') !== undefined);
  pbx.answer(bye, 200);
  await gone;
  pbx.request('INVITE', {}, sdpFor());
  await until(() => incoming.length === 1);
  assert.equal(incoming[0]!.viaRegistrar, true);
});

test('should refuse a call to an extension without a registrar', async (t) => {
  const { agent } = await startAgent(t);
  const { ends } = record(agent.call({ kind: 'extension', extension: '100' }, sdpFor()));
  await until(() => ends.length === 1);
  assert.deepEqual(ends, [{ cause: 'refused', status: 404, reason: 'no registrar is known' }]);
});

test('should say why TLS failed in one line, without the places in OpenSSL', () => {
  const openssl =
    '00A8B2:error:0A000152:SSL routines:final_renegotiate:unsafe legacy renegotiation disabled:../deps/openssl/ssl/x.c:922:\n';
  assert.equal(sentenceOf(new Error(openssl)), 'TLS: unsafe legacy renegotiation disabled');
  assert.equal(sentenceOf(new Error('no answer\nat all')), 'no answer at all');
});
