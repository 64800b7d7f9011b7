import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Baresip, type BaresipOptions, startBaresip } from '../testing/sip/baresip.ts';
import { pbxPassword, startKamailio } from '../testing/sip/kamailio.ts';
import { startLossyRelay } from '../testing/sip/lossyRelay.ts';
import { until } from '../testing/waiting.ts';
import { DoorCamera } from './testing/doorCamera.ts';
import { echo, startPanel } from './testing/panel.ts';
import { startTlsPeer } from './testing/tlsPeer.ts';
import { toneAtBaresip, toneInPage } from './testing/tone.ts';

/** The whole intercom, with independent programs as remote parties. */

const LOOPBACK = '127.0.0.1';

/** @param account what follows its address */
async function startPeer(
  t: TestContext,
  account: string,
  options: Partial<BaresipOptions> = {},
): Promise<Baresip> {
  const baresip = await startBaresip({ accounts: [`<sip:@127.0.0.1:PORT>;regint=0;${account}`], ...options });
  t.after(() => baresip.remove());
  return baresip;
}

test('should call baresip with sound and picture both ways, press keys and hang up', async (t) => {
  const baresip = await startPeer(t, 'answermode=auto;audio_codecs=pcmu', { video: true });
  const hall = await startPanel(t, 'Hall');
  echo(t, hall.page);
  await hall.sip.placeCallToIp({ ip: `${LOOPBACK}:${baresip.port}` });
  await hall.becomes('connected (outgoing, legacy audio)');
  await until(() => hall.page.connections.size === 1 && hall.page.latest.isConnected, 'the page');
  const { received } = hall.page.latest;
  await until(() => received.audio.length > 60 && toneInPage(hall.page) > 0.9, 'the tone in the page');
  await until(() => received.video.length > 20, 'pictures in the page');
  await hall.sip.sendDtmf({ digits: '7#' });
  await until(() => baresip.events.filter(({ type }) => type === 'CALL_DTMF_START').length === 2, 'digits');
  assert.equal((await hall.sip.hangup()).callStatus, 'idle');
  await baresip.event('CALL_CLOSED');
  await baresip.stop();
  assert.ok((await toneAtBaresip(baresip)) > 0.9, 'its own tone, sent back by the page');
});

test('should ring for baresip, see it before the answer, and notice that it hangs up', async (t) => {
  const baresip = await startPeer(t, 'audio_codecs=pcma', { video: true });
  const hall = await startPanel(t, 'Hall');
  await baresip.command('dial', `sip:panel@${hall.address()}`);
  await hall.becomes('incoming...');
  assert.deepEqual(
    hall.heard('incomingCall').map((payload) => 'hasVideo' in payload && payload.hasVideo),
    [true],
  );
  await until(() => hall.page.connections.size === 1, 'the page');
  await until(() => hall.page.latest.received.video.length > 10, 'the picture before the answer');
  assert.equal(hall.page.latest.received.audio.length, 0, 'the caller is not heard before the answer');
  assert.equal((await hall.sip.answer()).callStatus, 'connected (incoming)');
  await until(() => hall.page.latest.received.audio.length > 60, 'sound in the page');
  assert.ok(toneInPage(hall.page, 'PCMA') > 0.9);
  await baresip.command('hangup');
  await hall.becomes('idle');
  assert.deepEqual(
    hall.heard('callEnded').map((payload) => 'reason' in payload && payload.reason),
    ['remote_bye'],
  );
});

test('should show the camera of a door that sends no picture, from its ring to the end of the call', async (t) => {
  const baresip = await startPeer(t, 'audio_codecs=pcma');
  const camera = await DoorCamera.start(t);
  const door = { name: 'Front door', peer: LOOPBACK, gapMs: 500, preview: camera.url };
  const hall = await startPanel(t, 'Hall', { stream: camera.stream, file: { 'sip.doors': [door] } });
  await assert.rejects(camera.watchCall(hall.sip), { code: 'NOT_FOUND' });
  await baresip.command('dial', `sip:panel@${hall.address()}`);
  await hall.becomes('incoming...');
  const [told] = hall.heard('incomingCall');
  assert.ok(told !== undefined && 'callerName' in told && 'hasVideo' in told);
  assert.deepEqual([told.callerName, told.hasVideo], ['Front door', true]);
  const { received } = await camera.watchCall(hall.sip);
  await until(() => received.video.length > 5, 'pictures while it rings');
  await hall.sip.answer();
  const before = received.video.length;
  await until(() => received.video.length > before + 5, 'pictures in the call');
  assert.deepEqual(camera.watchers, ['intercom.preview']);
  await baresip.command('hangup');
  await hall.becomes('idle');
  await until(() => camera.watchers.length === 0, 'the camera to be released');
  await assert.rejects(camera.watchCall(hall.sip), { code: 'NOT_FOUND' });
});

for (const digest of ['MD5', 'SHA-256'] as const) {
  test(`should register at kamailio with ${digest} and call by extension both ways`, async (t) => {
    const pbx = await startKamailio({ digest });
    t.after(() => pbx.stop());
    const env = (user: string): NodeJS.ProcessEnv => ({
      FACEPLATE_SIP_ALLOW: '192.0.2.1',
      FACEPLATE_SIP_REGISTRAR: `127.0.0.1:${pbx.port}`,
      FACEPLATE_SIP_USERNAME: user,
    });
    const start = (name: string, user: string) =>
      startPanel(t, name, { env: env(user), file: { 'sip.password': pbxPassword(user) } });
    const [hall, attic] = [await start('Hall', '8010'), await start('Attic', '8011')];
    for (const { sip } of [hall, attic])
      await until(async () => (await sip.getStatus()).registered, 'the registration');
    for (const [from, to, extension] of [
      [hall, attic, '8011'],
      [attic, hall, '8010'],
    ] as const) {
      echo(t, to.page);
      await from.sip.placeCallToExtension({ extension });
      await to.becomes('incoming...');
      await to.sip.answer();
      await from.becomes('connected (outgoing via PBX)');
      await from.sip.hangup();
      await to.becomes('idle');
    }
    const history = (await hall.sip.history()).map(({ direction, viaPbx }) => [direction, viaPbx]);
    assert.deepEqual(history, [
      ['incoming', true],
      ['outgoing', true],
    ]);
    await hall.sip.placeCallToExtension({ extension: '8099' });
    await hall.becomes('failed');
  });
}

test('should say that the PBX refused the password, and not try again at once', async (t) => {
  const pbx = await startKamailio();
  t.after(() => pbx.stop());
  const relay = await startLossyRelay(pbx.port, 0);
  t.after(() => relay.close());
  const hall = await startPanel(t, 'Hall', {
    env: { FACEPLATE_SIP_REGISTRAR: `127.0.0.1:${relay.port}`, FACEPLATE_SIP_USERNAME: '8010' },
    file: { 'sip.password': 'wrong' },
  });
  await until(async () => (await hall.sip.getStatus()).lastError !== null, 'the refusal');
  const { registered, lastError } = await hall.sip.getStatus();
  assert.deepEqual(
    [registered, lastError],
    [false, 'The registrar refused the user name or password (401).'],
  );
  assert.ok(!JSON.stringify([lastError, hall.told]).includes('wrong'));
  // Two requests with their answers, and retransmissions of a slow machine.
  assert.ok(relay.passed() <= 12, String(relay.passed()));
});

test('should let a door station register at the panel, call it and be called', async (t) => {
  const hall = await startPanel(t, 'Hall', {
    env: { FACEPLATE_SIP_ALLOW: '192.0.2.1', FACEPLATE_SIP_REGISTRAR_SERVER: 'true' },
    file: {
      'sip.registrarAccounts': [{ username: '8001', password: 'pw-8001' }],
      'sip.doors': [{ name: 'Front door', peer: '8001', dtmf: '1' }],
    },
  });
  const login = 'auth_user=8001;auth_pass=pw-8001;regint=60';
  const account = `<sip:8001@${hall.address()}>;${login};answermode=auto;audio_codecs=pcmu`;
  // It gives up on SHA-256, and gets only MD5 when it comes back half a minute later.
  const first = await startBaresip({ accounts: [account] });
  await until(() => first.output().includes('Function not implemented'), 'the first try').finally(() =>
    first.remove(),
  );
  const door = await startBaresip({ accounts: [account] });
  t.after(() => door.remove());
  await door.registered();
  await door.command('dial', `sip:1@${hall.address()}`);
  await hall.becomes('incoming...');
  assert.equal((await hall.sip.getStatus()).incomingCallerName, 'Front door');
  await hall.sip.answer();
  await hall.sip.openDoor({});
  await door.event('CALL_DTMF_START');
  await hall.sip.hangup();
  await door.event('CALL_CLOSED');
  const from = door.events.length;
  await hall.sip.placeCallToExtension({ extension: '8001' });
  await hall.becomes('connected (outgoing, legacy audio)');
  await door.event('CALL_ESTABLISHED', from);
  await hall.sip.hangup();
  await door.event('CALL_CLOSED', from);
});

test('should call and be called over TCP', async (t) => {
  const baresip = await startPeer(t, 'answermode=auto;audio_codecs=pcmu');
  const hall = await startPanel(t, 'Hall', { env: { FACEPLATE_SIP_TRANSPORT: 'tcp' } });
  await hall.sip.placeCallToIp({ ip: `${LOOPBACK}:${baresip.port}` });
  await hall.becomes('connected (outgoing, legacy audio)');
  await until(() => hall.page.connections.size === 1, 'the page');
  await until(() => hall.page.latest.received.audio.length > 10, 'sound in the page');
  await hall.sip.hangup();
  await baresip.event('CALL_CLOSED');
  const from = baresip.events.length;
  await baresip.command('dial', `sip:panel@${hall.address()};transport=tcp`);
  await hall.becomes('incoming...');
  await hall.sip.answer();
  await baresip.event('CALL_ESTABLISHED', from);
  await hall.sip.hangup();
  await baresip.event('CALL_CLOSED', from);
});

test('security: should call over TLS with encrypted media, only after the certificate was pinned', async (t) => {
  const { baresip, place, fingerprint } = await startTlsPeer(t, 'audio_codecs=pcmu');
  const hall = await startPanel(t, 'Hall', { env: { FACEPLATE_SIP_TRANSPORT: 'tls' } });
  await hall.sip.placeCallToIp({ ip: `${place.host}:${place.port}` });
  await hall.becomes('failed');
  const [refused] = hall.certificates.list().certificates;
  assert.deepEqual(
    [refused?.host, refused?.port, refused?.state, refused?.refused?.fingerprint],
    [place.host, place.port, 'refused', fingerprint],
  );
  assert.match((await hall.sip.getStatus()).lastError ?? '', /certificate is not trusted/);
  assert.equal(baresip.events.length, 0);

  await hall.certificates.trust({ ...place, fingerprint });
  await hall.sip.placeCallToIp({ ip: `${place.host}:${place.port}` });
  await hall.becomes('connected (outgoing, legacy audio)');
  await until(() => hall.page.connections.size === 1, 'the page');
  await until(() => hall.page.latest.received.audio.length > 60, 'sound in the page');
  assert.ok(toneInPage(hall.page) > 0.9, 'opened with the keys of the description');
});
