import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type DigestAlgorithm, digestResponse, formatDigest } from '../../platform/net/digest.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { ScriptedPeer } from '../testing/sip/scriptedPeer.ts';
import { record, sdpFor, startAgent } from '../testing/sip/testAgent.ts';
import { RateLimits } from './admission.ts';
import type { SipAgentOptions } from './agentOptions.ts';
import { parseDigest } from './auth/digest.ts';
import type { ReceivedResponse } from './message/message.ts';

const ACCOUNTS = [{ username: 'door1', password: 'pw-door1' }];
const URI = 'sip:127.0.0.1';

/** A panel with its registrar on and no address allowed to call, and a device whose messages the test writes. */
async function panelAndDevice(t: TestContext, options: Partial<SipAgentOptions> = {}) {
  const panel = await startAgent(t, { registrarAccounts: ACCOUNTS, mayCall: () => false, ...options });
  const device = await ScriptedPeer.open(t, () => panel.agent.port);
  let cseq = 0;
  const register = (fields: Record<string, string> = {}): void =>
    device.request('REGISTER', {
      uri: URI,
      From: '<sip:door1@127.0.0.1>;tag=d',
      To: '<sip:door1@127.0.0.1>',
      'Call-ID': 'reg',
      CSeq: `${++cseq} REGISTER`,
      ...fields,
    });
  return { ...panel, device, register };
}

function login(
  challenge: ReceivedResponse,
  {
    username = 'door1',
    password = 'pw-door1',
    algorithm = 'SHA-256' as DigestAlgorithm,
    nc = '00000001',
    uri = URI,
  } = {},
): Record<string, string> {
  const offers = challenge.headers.all('www-authenticate').flatMap((value) => parseDigest(value) ?? []);
  const offer = offers.find((params) => params.get('algorithm') === algorithm)!;
  const [realm, nonce] = [offer.get('realm')!, offer.get('nonce')!];
  const qop = { nc, cnonce: 'c' };
  const response = digestResponse({
    algorithm,
    username,
    realm,
    password,
    nonce,
    method: 'REGISTER',
    uri,
    qop,
  });
  return {
    Authorization: formatDigest([
      ['username', username],
      ['realm', realm],
      ['nonce', nonce],
      ['uri', uri],
      ['response', response],
      ['algorithm', algorithm],
      ['qop', 'auth'],
      ['nc', nc],
      ['cnonce', 'c'],
    ]),
  };
}

for (const algorithm of ['MD5', 'SHA-256'] as const) {
  test(`should accept ${algorithm}, keep the binding for its time, and return it`, async (t) => {
    const clock = new FakeClock();
    const { agent, device, register } = await panelAndDevice(t, { clock });
    register();
    const challenge = await device.response(401);
    register({ ...login(challenge, { algorithm }), Expires: '30' });
    assert.equal((await device.response(423)).headers.get('min-expires'), '60');
    register({ ...login(challenge, { algorithm, nc: '00000002' }), Expires: '60' });
    const granted = await device.response(200);
    assert.equal(granted.headers.get('contact'), `${device.contact};expires=60`);
    const call = agent.call({ kind: 'extension', extension: 'door1' }, sdpFor());
    const { ends } = record(call);
    const invite = await device.next('INVITE');
    assert.equal(invite.uri, device.contact.slice(1, -1));
    device.answer(invite, 486);
    await until(() => ends.length === 1);
    // Some seconds longer than granted: the next REGISTER may need a second challenge.
    await clock.advance(75_000);
    const next = record(agent.call({ kind: 'extension', extension: 'door1' }, sdpFor()));
    device.answer(await device.next('INVITE', 1), 486);
    await until(() => next.ends.length === 1);
    await clock.advance(5_000);
    const late = record(agent.call({ kind: 'extension', extension: 'door1' }, sdpFor()));
    await until(() => late.ends.length === 1);
    assert.equal(late.ends[0]!.cause, 'refused');
  });
}

test('should remove a registration, one contact or all', async (t) => {
  const { device, register } = await panelAndDevice(t);
  register();
  const challenge = await device.response(401);
  register(login(challenge));
  await device.response(200);
  register({ ...login(challenge, { nc: '2' }), Contact: '*', Expires: '0' });
  assert.deepEqual((await device.response(200, 1)).headers.all('contact'), []);
});

test('security: should challenge a wrong password and an unknown name alike, and be silent after five failures', async (t) => {
  const clock = new FakeClock();
  const { device, register } = await panelAndDevice(t, { clock, limits: new RateLimits(clock, () => false) });
  register();
  const challenge = await device.response(401);
  register(login(challenge, { password: 'wrong' }));
  register(login(challenge, { username: 'nobody' }));
  const [wrong, unknown] = [await device.response(401, 1), await device.response(401, 2)];
  const shape = (response: ReceivedResponse) =>
    response.headers.toString().replaceAll(/(nonce|tag)="?[^",;\s]+|CSeq: \d+|branch=\S+/g, '');
  assert.equal(shape(wrong), shape(unknown));
  for (let at = 0; at < 5; at++) register(login(challenge, { password: `guess${at}` }));
  await device.response(401, 5);
  register(login(challenge));
  await clock.advance(1);
  assert.equal(device.seen.filter((what) => what === '401').length, 6);
  assert.ok(!device.seen.includes('200'));
});

test('security: should not accept an answer twice, to an old nonce, or for another user', async (t) => {
  const clock = new FakeClock();
  const { device, register } = await panelAndDevice(t, { clock });
  register();
  const challenge = await device.response(401);
  register(login(challenge));
  await device.response(200);
  register(login(challenge));
  assert.match((await device.response(401, 1)).headers.get('www-authenticate') ?? '', /stale=true/);
  register({ ...login(challenge, { nc: '00000002' }), To: '<sip:other@127.0.0.1>' });
  await device.response(403);
  await clock.advance(60_001);
  register(login(challenge, { nc: '00000003' }));
  assert.match((await device.response(401, 2)).headers.get('www-authenticate') ?? '', /stale=true/);
});

test('security: should answer nothing but REGISTER to a device that is not registered', async (t) => {
  const { device, register, incoming } = await panelAndDevice(t);
  device.request('INVITE', {}, sdpFor());
  device.request('OPTIONS', { 'Call-ID': 'o' });
  register();
  const challenge = await device.response(401);
  assert.deepEqual(device.seen, ['401']);
  register(login(challenge));
  await device.response(200);
  device.request('INVITE', { 'Call-ID': 'now' }, sdpFor());
  await until(() => incoming.length === 1);
});

test('security: should refuse REGISTER while the registrar is off', async (t) => {
  const panel = await startAgent(t);
  const device = await ScriptedPeer.open(t, () => panel.agent.port);
  device.request('REGISTER');
  await device.response(405);
});

test('should let a Dahua register each minute, with the nonce and the count of the minute before', async (t) => {
  const clock = new FakeClock();
  const { agent, device, register } = await panelAndDevice(t, {
    clock,
    limits: new RateLimits(clock, () => false),
  });
  register();
  const md5 = { algorithm: 'MD5', uri: 'sip:127.0.0.1' } as const;
  const uri = 'sip:127.0.0.1:5060';
  let challenge = await device.response(401);
  for (let minute = 0; minute < 8; minute++) {
    register({ uri, ...login(challenge, md5), Expires: '60' });
    await device.response(200, minute);
    await clock.advance(minute % 2 === 0 ? 58_000 : 70_000);
    // The password is right: never one of the five failures of a minute.
    for (let again = 0; again < 6; again++) register({ uri, ...login(challenge, md5), Expires: '60' });
    challenge = await device.response(401, 6 * (minute + 1));
    assert.match(challenge.headers.get('www-authenticate') ?? '', /stale=true/);
    assert.equal(agent.hostOf({ kind: 'extension', extension: 'door1' }), '127.0.0.1', 'it is still known');
  }
});

test('should call the right password for a nonce of an earlier start stale, and a wrong one wrong', async (t) => {
  const before = await panelAndDevice(t);
  before.register();
  const challenge = await before.device.response(401);
  const { device, register } = await panelAndDevice(t);
  register(login(challenge));
  assert.match((await device.response(401)).headers.get('www-authenticate') ?? '', /stale=true/);
  register(login(challenge, { password: 'wrong' }));
  assert.doesNotMatch((await device.response(401, 1)).headers.get('www-authenticate') ?? '', /stale/);
  assert.ok(!device.seen.includes('200'));
});

test('should check the credentials with the address that they were made for, which need only mean the same', async (t) => {
  const { device, register } = await panelAndDevice(t);
  register();
  const challenge = await device.response(401);
  const same: [requestUri: string, uri: string][] = [
    ['sip:127.0.0.1:5060', 'sip:127.0.0.1'],
    ['sip:127.0.0.1', 'sip:127.0.0.1:5060'],
    ['sip:127.0.0.1;transport=udp', 'SIP:127.0.0.1'],
    ['sip:127.0.0.1', 'sip:door1@127.0.0.1'],
  ];
  for (const [at, [requestUri, uri]] of same.entries()) {
    register({ uri: requestUri, ...login(challenge, { uri, nc: String(at + 1) }) });
    await device.response(200, at);
  }
  const other = ['sip:127.0.0.2', 'sips:127.0.0.1', 'sip:127.0.0.1:5070', '', 'tel:1'];
  for (const [at, uri] of other.entries()) {
    register({ uri: 'sip:127.0.0.1:5060', ...login(challenge, { uri, nc: String(at + 9) }) });
    assert.doesNotMatch((await device.response(401, at + 1)).headers.get('www-authenticate') ?? '', /stale/);
  }
});
