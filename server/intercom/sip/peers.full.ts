import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { type Baresip, startBaresip } from '../../testing/sip/baresip.ts';
import { pbxPassword, startKamailio } from '../../testing/sip/kamailio.ts';
import { startLossyRelay } from '../../testing/sip/lossyRelay.ts';
import { startSipp } from '../../testing/sip/sipp.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import type { IncomingCall } from '../ports.ts';
import { LOOPBACK, record, sdpFor, startAgent, type TestAgent } from '../testing/sip/testAgent.ts';

/** Independent implementations at the other end: baresip, kamailio, sipp. */

async function peer(t: TestContext, mode: 'auto' | 'manual', user = 'door'): Promise<Baresip> {
  const baresip = await startBaresip({
    accounts: [`<sip:${user}@127.0.0.1:PORT>;regint=0;answermode=${mode};audio_codecs=pcmu`],
  });
  t.after(() => baresip.remove());
  return baresip;
}

/** Rings, answers, and reports the caller's end. */
function answering(agent: TestAgent): IncomingCall[] {
  const calls: IncomingCall[] = [];
  agent.agent.onIncoming = (call) => {
    calls.push(call);
    void call.ring().then(() => call.accept(sdpFor()));
  };
  return calls;
}

test('should call baresip, be answered and hang up', async (t) => {
  const baresip = await peer(t, 'auto');
  const { agent } = await startAgent(t);
  const call = agent.call({ kind: 'address', host: LOOPBACK, port: baresip.port, user: 'door' }, sdpFor());
  const { told } = record(call);
  await until(() => told.includes('accepted'), 'the answer');
  await baresip.event('CALL_ESTABLISHED');
  assert.deepEqual([call.peer.host, call.peer.isFaceplate, call.peer.secure], [LOOPBACK, false, false]);
  await call.sendInfo('application/dtmf-relay', 'Signal=1\r\nDuration=160\r\n');
  await call.hangup();
  await baresip.event('CALL_CLOSED');
  assert.equal(told.at(-1), 'accepted');
});

test('should notice that baresip rings, refuses and hangs up', async (t) => {
  const baresip = await peer(t, 'manual');
  const { agent } = await startAgent(t);
  const refused = record(
    agent.call({ kind: 'address', host: LOOPBACK, port: baresip.port, user: 'door' }, sdpFor()),
  );
  await baresip.event('CALL_INCOMING');
  await until(() => refused.told.includes('180'), 'the ringing');
  await baresip.command('hangup');
  await until(() => refused.ends.length === 1, 'the refusal');
  assert.equal(refused.ends[0]!.cause, 'refused');

  const from = baresip.events.length;
  const ended = record(
    agent.call({ kind: 'address', host: LOOPBACK, port: baresip.port, user: 'door' }, sdpFor()),
  );
  await baresip.event('CALL_INCOMING', from);
  await baresip.command('accept');
  await until(() => ended.told.includes('accepted'), 'the answer');
  await baresip.command('hangup');
  await until(() => ended.ends.length === 1, 'the end');
  assert.deepEqual(ended.ends[0], { cause: 'bye' });
});

test('should cancel a call while it rings', async (t) => {
  const baresip = await peer(t, 'manual');
  const { agent } = await startAgent(t);
  const call = agent.call({ kind: 'address', host: LOOPBACK, port: baresip.port, user: 'door' }, sdpFor());
  const { told } = record(call);
  await until(() => told.includes('180'), 'the ringing');
  await call.hangup();
  await baresip.event('CALL_CLOSED');
  assert.deepEqual(told, ['180']);
});

test('should be called by baresip and notice its end', async (t) => {
  const baresip = await peer(t, 'manual');
  const panel = await startAgent(t);
  const calls = answering(panel);
  await baresip.command('dial', `sip:panel1@127.0.0.1:${panel.agent.port}`);
  await baresip.event('CALL_ESTABLISHED');
  const { ends } = record(calls[0]!);
  assert.match(calls[0]!.offer ?? '', /^v=0[\s\S]*m=audio \d+ RTP\/AVP 0/);
  assert.deepEqual([calls[0]!.peer.user, calls[0]!.autoAnswer], ['door', false]);
  await baresip.command('hangup');
  await until(() => ends.length === 1, 'the end');
  assert.deepEqual(ends, [{ cause: 'bye' }]);
});

test('should be cancelled by baresip, and end a call of baresip', async (t) => {
  const baresip = await peer(t, 'manual');
  const panel = await startAgent(t);
  await baresip.command('dial', `sip:panel1@127.0.0.1:${panel.agent.port}`);
  await until(() => panel.incoming.length === 1, 'the call');
  const { ends } = record(panel.incoming[0]!);
  await panel.incoming[0]!.ring();
  await baresip.event('CALL_RINGING');
  await baresip.command('hangup');
  await until(() => ends.length === 1, 'the CANCEL');
  assert.deepEqual(ends, [{ cause: 'cancel', answeredElsewhere: false }]);

  const from = baresip.events.length;
  const calls = answering(panel);
  await baresip.command('dial', `sip:panel1@127.0.0.1:${panel.agent.port}`);
  await baresip.event('CALL_ESTABLISHED', from);
  await calls[0]!.hangup();
  await baresip.event('CALL_CLOSED', from);
});

test('should reject a call from baresip with 486', async (t) => {
  const baresip = await peer(t, 'manual');
  const panel = await startAgent(t);
  await baresip.command('dial', `sip:panel1@127.0.0.1:${panel.agent.port}`);
  await until(() => panel.incoming.length === 1, 'the call');
  await panel.incoming[0]!.reject();
  const closed = await baresip.event('CALL_CLOSED');
  assert.match(closed.param ?? '', /^486/);
});

test('should call and be called over TCP', async (t) => {
  const baresip = await peer(t, 'auto');
  const panel = await startAgent(t, { transport: 'tcp' });
  const call = panel.agent.call(
    { kind: 'address', host: LOOPBACK, port: baresip.port, user: 'door' },
    sdpFor(),
  );
  const { told } = record(call);
  await until(() => told.includes('accepted'), 'the answer');
  await call.hangup();
  await baresip.event('CALL_CLOSED');
  const from = baresip.events.length;
  const calls = answering(panel);
  await baresip.command('dial', `sip:panel1@127.0.0.1:${panel.agent.port};transport=tcp`);
  await baresip.event('CALL_ESTABLISHED', from);
  await calls[0]!.hangup();
  await baresip.event('CALL_CLOSED', from);
});

test('should send a large INVITE to baresip over TCP', async (t) => {
  const baresip = await peer(t, 'auto', '');
  const { agent } = await startAgent(t);
  const padding = Array.from({ length: 40 }, (_, line) => `a=x-padding:${line} ${'.'.repeat(30)}\r\n`).join(
    '',
  );
  const call = agent.call({ kind: 'address', host: LOOPBACK, port: baresip.port }, sdpFor() + padding);
  const { told } = record(call);
  await until(() => told.includes('accepted'), 'the answer');
  await call.hangup();
  await baresip.event('CALL_CLOSED');
});

test('should call baresip over TLS with its certificate pinned', async (t) => {
  const folder = temporaryFolder('sip-tls');
  const file = join(folder, 'both.pem');
  const args = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout ${file}.key -out ${file}.crt -subj /CN=door`;
  await promisify(execFile)('openssl', args.split(' '));
  const [key, cert] = [await readFile(`${file}.key`), await readFile(`${file}.crt`)];
  await writeFile(file, Buffer.concat([key, cert]));
  const baresip = await startBaresip({
    accounts: ['<sip:door@127.0.0.1:PORT;transport=tls>;regint=0;answermode=auto;audio_codecs=pcmu'],
    config: [`sip_certificate ${file}`],
  });
  t.after(() => baresip.remove());
  const { fingerprint256 } = new X509Certificate(cert);
  const { agent } = await startAgent(t, {
    transport: 'tls',
    trust: {
      judge: (_server, certificate) =>
        certificate.fingerprint256 === fingerprint256 ? 'trusted' : 'refused',
      onTrusted: () => () => {},
    },
  });
  const call = agent.call(
    { kind: 'address', host: LOOPBACK, port: baresip.port + 1, user: 'door' },
    sdpFor(),
  );
  const { told } = record(call);
  await until(() => told.length > 0 && told.at(-1) !== '180', 'the answer');
  assert.deepEqual([told.at(-1), call.peer.secure], ['accepted', true]);
  await call.hangup();
  await baresip.event('CALL_CLOSED');
});

for (const digest of ['MD5', 'SHA-256'] as const) {
  test(`should register at kamailio with ${digest}, call through it both ways and unregister`, async (t) => {
    const pbx = await startKamailio({ digest });
    t.after(() => pbx.stop());
    const options = { registrar: `127.0.0.1:${pbx.port}`, mayCall: () => false };
    const hall = await startAgent(t, { ...options, username: 'panel1', password: pbxPassword('panel1') });
    const attic = await startAgent(t, { ...options, username: 'panel2', password: pbxPassword('panel2') });
    await until(() => hall.agent.registered && attic.agent.registered, 'both registrations');
    assert.deepEqual(hall.registrations, [true]);
    const calls = answering(attic);
    const call = hall.agent.call({ kind: 'extension', extension: 'panel2' }, sdpFor());
    const outgoing = record(call);
    await until(() => outgoing.told.includes('accepted'), 'the answer through the proxy');
    assert.equal(calls.length, 1);
    assert.ok(calls[0]!.viaRegistrar && calls[0]!.peer.isFaceplate);
    assert.deepEqual([calls[0]!.peer.user, calls[0]!.peer.displayName], ['panel1', 'Hall']);
    const incoming = record(calls[0]!);
    await call.hangup();
    await until(() => incoming.ends.length === 1, 'the end through the proxy');
    assert.deepEqual(incoming.ends, [{ cause: 'bye' }]);
    await attic.agent.stop();
    const gone = record(hall.agent.call({ kind: 'extension', extension: 'panel2' }, sdpFor()));
    await until(() => gone.ends.length === 1, 'the refusal');
    assert.deepEqual(gone.ends, [{ cause: 'refused', status: 404, reason: 'Not Found' }]);
    await hall.agent.stop();
  });
}

test('should register at kamailio and call through it over TCP', async (t) => {
  const pbx = await startKamailio();
  t.after(() => pbx.stop());
  const options = { registrar: `127.0.0.1:${pbx.port}`, transport: 'tcp', mayCall: () => false } as const;
  const hall = await startAgent(t, { ...options, username: 'panel1', password: pbxPassword('panel1') });
  const attic = await startAgent(t, { ...options, username: 'panel2', password: pbxPassword('panel2') });
  await until(() => hall.agent.registered && attic.agent.registered, 'both registrations');
  const calls = answering(attic);
  const outgoing = record(hall.agent.call({ kind: 'extension', extension: 'panel2' }, sdpFor()));
  await until(() => outgoing.told.includes('accepted'), 'the answer');
  await calls[0]!.hangup();
  await until(() => outgoing.ends.length === 1, 'the end');
  await Promise.all([hall.agent.stop(), attic.agent.stop()]);
});

test('should report a wrong password once, and not try again for minutes', async (t) => {
  const pbx = await startKamailio();
  t.after(() => pbx.stop());
  const relay = await startLossyRelay(pbx.port, 0);
  t.after(() => relay.close());
  const panel = await startAgent(t, { registrar: `127.0.0.1:${relay.port}`, password: 'wrong' });
  await until(() => panel.registrations.length === 1, 'the refusal');
  assert.deepEqual(panel.registrations, ['The registrar refused the user name or password (401).']);
  await timeToGoWrong(1_500);
  // Two requests and their answers, and what a slow machine repeats of them.
  assert.ok(relay.passed() <= 12, String(relay.passed()));
});

test('should set up calls even if a third of the datagrams is lost', async (t) => {
  const panel = await startAgent(t);
  const far = await startAgent(t, { username: 'far' });
  answering(far);
  // Every third datagram, so that every run is the same.
  let count = 0;
  const relay = await startLossyRelay(far.agent.port, 0.3, () => (++count % 3 === 0 ? 0 : 1));
  t.after(() => relay.close());
  for (let at = 0; at < 6; at++) {
    const call = panel.agent.call({ kind: 'address', host: LOOPBACK, port: relay.port }, sdpFor());
    const { told } = record(call);
    await until(() => told.includes('accepted'), 'the answer');
    await call.hangup();
  }
  assert.ok(relay.dropped() > 2);
});

test('should accept 50 calls from sipp at 10 a second', async (t) => {
  const panel = await startAgent(t);
  const calls = answering(panel);
  const sipp = await startSipp({
    scenario: { name: 'uac' },
    target: panel.agent.port,
    calls: 50,
    rate: 10,
    pauseMs: 200,
  });
  t.after(() => sipp.stop());
  assert.equal(await sipp.exited, 0, sipp.output().slice(-2_000));
  assert.equal(calls.length, 50);
});
