import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test as base, expect } from '@playwright/test';
import { echo, type Owner, startPanel, type TestPanel } from '../../server/intercom/testing/panel.ts';
import { startTlsPeer } from '../../server/intercom/testing/tlsPeer.ts';
import { toneAtBaresip } from '../../server/intercom/testing/tone.ts';
import { type Baresip, startBaresip } from '../../server/testing/sip/baresip.ts';
import { startLossyRelay } from '../../server/testing/sip/lossyRelay.ts';
import { startSipp } from '../../server/testing/sip/sipp.ts';
import { letPass, timeToGoWrong } from '../../server/testing/waiting.ts';

/** The matrix of calls between complete intercoms, without a browser, and programs of other makers. */

const LOOPBACK = '127.0.0.1';
const CODECS = ['pcmu', 'pcma', 'g722/16000/1', 'opus/48000/2'];
const SLOW = { timeout: 90_000 };

const test = base.extend<{ owner: Owner }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  owner: async ({}, use) => {
    const ends: (() => unknown)[] = [];
    await use({ after: (end) => ends.push(end) });
    for (const end of ends.reverse()) await end();
  },
});

async function startPeer(t: Owner, account: string): Promise<Baresip> {
  const baresip = await startBaresip({
    accounts: [`<sip:@127.0.0.1:PORT>;regint=0;${account}`],
    video: true,
  });
  t.after(() => baresip.remove());
  return baresip;
}

/** The remote party hears its own tone: both directions and both ends of the codec work. */
async function hearsItself(hall: TestPanel, baresip: Baresip): Promise<void> {
  await expect.poll(() => hall.page.connections.size, SLOW).toBe(1);
  const { received } = hall.page.latest;
  await expect.poll(() => received.audio.length, SLOW).toBeGreaterThan(150);
  await hall.sip.hangup();
  await baresip.event('CALL_CLOSED');
  await baresip.stop();
  expect(await toneAtBaresip(baresip)).toBeGreaterThan(0.9);
}

for (const codec of CODECS) {
  for (const transport of ['udp', 'tcp'] as const) {
    test(`should call with ${codec} over ${transport}`, async ({ owner }) => {
      const baresip = await startPeer(owner, `answermode=auto;audio_codecs=${codec}`);
      const hall = await startPanel(owner, 'Hall', { env: { FACEPLATE_SIP_TRANSPORT: transport } });
      echo(owner, hall.page);
      await hall.sip.placeCallToIp({ ip: `${LOOPBACK}:${baresip.port}` });
      await expect.poll(() => hall.status(), SLOW).toMatch(/^connected/);
      await hearsItself(hall, baresip);
      expect(hall.heard('callConnected')).toHaveLength(1);
    });

    test(`should be called with ${codec} over ${transport}, and see the caller first`, async ({ owner }) => {
      const baresip = await startPeer(owner, `audio_codecs=${codec}`);
      const hall = await startPanel(owner, 'Hall');
      echo(owner, hall.page);
      await baresip.command('dial', `sip:panel@${hall.address()};transport=${transport}`);
      await expect.poll(() => hall.status(), SLOW).toBe('incoming...');
      await expect.poll(() => hall.page.connections.size, SLOW).toBe(1);
      await expect.poll(() => hall.page.latest.received.video.length, SLOW).toBeGreaterThan(10);
      expect(hall.page.latest.received.audio).toHaveLength(0);
      await hall.sip.answer();
      await hearsItself(hall, baresip);
    });
  }

  test(`should call with ${codec} encrypted, over TLS`, async ({ owner }) => {
    const { baresip, place, fingerprint } = await startTlsPeer(owner, `audio_codecs=${codec}`);
    const hall = await startPanel(owner, 'Hall', { env: { FACEPLATE_SIP_TRANSPORT: 'tls' } });
    echo(owner, hall.page);
    const call = () => hall.sip.placeCallToIp({ ip: `${place.host}:${place.port}` });
    await call();
    await expect.poll(() => hall.status(), SLOW).toBe('failed');
    await hall.certificates.trust({ ...place, fingerprint });
    await call();
    await expect.poll(() => hall.status(), SLOW).toMatch(/^connected/);
    await hearsItself(hall, baresip);
  });
}

test('should carry every key to the remote party, each once', async ({ owner }) => {
  const baresip = await startPeer(owner, 'answermode=auto;audio_codecs=pcmu');
  const hall = await startPanel(owner, 'Hall');
  await hall.sip.placeCallToIp({ ip: `${LOOPBACK}:${baresip.port}` });
  await expect.poll(() => hall.status(), SLOW).toMatch(/^connected/);
  await hall.sip.sendDtmf({ digits: '0123456789*#' });
  const pressed = () =>
    baresip.events.filter(({ type }) => type === 'CALL_DTMF_START').map(({ param }) => param);
  await expect.poll(() => pressed().join(''), SLOW).toBe('0123456789*#');
});

test('should set up and end calls while 30 % of the datagrams get lost', async ({ owner }) => {
  test.slow();
  const baresip = await startPeer(owner, 'answermode=auto;audio_codecs=pcmu');
  const hall = await startPanel(owner, 'Hall');
  // A fixed sequence, so that a run can be repeated.
  let seed = 7;
  const relay = await startLossyRelay(baresip.port, 0.3, () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  });
  owner.after(() => relay.close());
  let connected = 0;
  for (let count = 0; count < 6; count++) {
    await hall.sip.placeCallToIp({ ip: `${LOOPBACK}:${relay.port}` });
    await expect.poll(() => hall.status(), SLOW).not.toMatch(/calling|ringing/);
    if ((await hall.status()).startsWith('connected')) connected++;
    await hall.sip.hangup();
  }
  expect(relay.dropped()).toBeGreaterThan(3);
  // No sign of life within 6 s is a failure by design: one of six calls may have that much bad luck.
  expect(connected).toBeGreaterThanOrEqual(5);
});

test('should answer 50 callers at 10 a second, one after the other or with busy', async ({ owner }) => {
  const hall = await startPanel(owner, 'Hall', { env: { FACEPLATE_SIP_AUTO_ANSWER: 'true' } });
  const sipp = await startSipp({
    scenario: { name: 'uac' },
    target: hall.port,
    calls: 50,
    rate: 10,
    pauseMs: 20,
  });
  owner.after(() => sipp.stop());
  await sipp.exited;
  await expect.poll(() => hall.status(), SLOW).toBe('idle');
  const history = await hall.sip.history();
  expect(history).toHaveLength(50);
  const answered = history.filter(({ outcome }) => outcome === 'answered').length;
  expect(answered, `${answered} answered`).toBeGreaterThan(10);
  await expect.poll(() => hall.page.connections.size, SLOW).toBe(0);
});

test('security: should neither ring for scanners nor answer them', async ({ owner }) => {
  const hall = await startPanel(owner, 'Hall', { env: { FACEPLATE_SIP_ALLOW: '192.0.2.1' } });
  const socket = createSocket('udp4');
  owner.after(() => socket.close());
  let answers = 0;
  socket.on('message', () => {
    answers++;
  });
  socket.bind(0, LOOPBACK);
  await once(socket, 'listening');
  const { port } = socket.address();
  for (const method of ['OPTIONS', 'INVITE', 'REGISTER', 'SUBSCRIBE', 'NOTIFY', 'MESSAGE']) {
    for (let user = 100; user < 120; user++) {
      const lines = [
        `${method} sip:${user}@${LOOPBACK} SIP/2.0`,
        `Via: SIP/2.0/UDP ${LOOPBACK}:${port};branch=z9hG4bK-${user}${method};rport`,
        `From: "sipvicious"<sip:${user}@1.1.1.1>;tag=64313430613638383163`,
        `To: "sipvicious"<sip:${user}@1.1.1.1>`,
        `Call-ID: ${user}${method}`,
        `CSeq: 1 ${method}`,
        `Contact: <sip:${user}@${LOOPBACK}:${port}>`,
        'User-Agent: friendly-scanner',
        'Max-Forwards: 70',
        'Content-Length: 0',
      ];
      socket.send(`${lines.join('\r\n')}\r\n\r\n`, hall.port, LOOPBACK);
    }
  }
  for (const junk of ['\r\n\r\n', 'GET / HTTP/1.0\r\n\r\n', '\0'.repeat(64)])
    socket.send(junk, hall.port, LOOPBACK);
  // There is no event to wait for.
  await timeToGoWrong(5_000);
  expect([answers, hall.told, await hall.sip.history()]).toEqual([0, [], []]);
  expect(await hall.status()).toBe('idle');
});

test('should make an announcement to six panels at once', async ({ owner }) => {
  const probe = createSocket('udp4').bind(0, '0.0.0.0');
  await once(probe, 'listening');
  const mdnsPort = probe.address().port;
  probe.close();
  await once(probe, 'close');
  const file = { 'sip.panelSecret': 'one secret of this house' };
  const hall = await startPanel(owner, 'Hall', { mdnsPort, file });
  const others: TestPanel[] = [];
  for (let count = 1; count <= 6; count++)
    others.push(await startPanel(owner, `Room ${count}`, { mdnsPort, file }));
  await expect.poll(async () => (await hall.sip.listPanels()).length, SLOW).toBe(6);
  await hall.sip.pageAll();
  await expect.poll(() => hall.status(), SLOW).toBe('paging (6 active)');
  let timestamp = 0;
  const timer = setInterval(() => {
    timestamp += 160;
    if (hall.page.connections.size > 0) hall.page.latest.send('audio', timestamp, Buffer.alloc(160, 0x55));
  }, 20);
  owner.after(() => clearInterval(timer));
  for (const { page } of others) {
    await expect.poll(() => page.connections.size, SLOW).toBe(1);
    await expect.poll(() => page.latest.received.audio.length, SLOW).toBeGreaterThan(50);
  }
  await hall.sip.hangupPageAll();
  for (const other of others) await expect.poll(() => other.status(), SLOW).toBe('idle');
});

/** A caller that is answered at once. @param next what it does after that */
const caller = (headers: string, direction: string, next: string): string => `<?xml version="1.0" ?>
<scenario name="caller">
  <send retrans="500"><![CDATA[
INVITE sip:panel@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:door@[local_ip]:[local_port]>;tag=[call_number]
To: <sip:panel@[remote_ip]:[remote_port]>
Call-ID: [call_id]
CSeq: 1 INVITE
Contact: <sip:door@[local_ip]:[local_port]>
Allow: INVITE, ACK, BYE, CANCEL, OPTIONS, UPDATE
${headers}Max-Forwards: 70
Content-Type: application/sdp
Content-Length: [len]

v=0
o=door 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [media_ip]
t=0 0
m=audio [media_port] RTP/AVP 0
a=${direction}
]]></send>
  <recv response="100" optional="true"></recv>
  <recv response="180" optional="true"></recv>
  <recv response="183" optional="true"></recv>
  <recv response="200" rrs="true"></recv>
  <send><![CDATA[
ACK [next_url] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:door@[local_ip]:[local_port]>;tag=[call_number]
[last_To:]
Call-ID: [call_id]
CSeq: 1 ACK
Max-Forwards: 70
Content-Length: 0

]]></send>
${next}
  <recv request="BYE"></recv>
  <send><![CDATA[
SIP/2.0 200 OK
[last_Via:]
[last_From:]
[last_To:]
[last_Call-ID:]
[last_CSeq:]
Content-Length: 0

]]></send>
</scenario>
`;

const REFRESHED = `  <recv request="UPDATE"></recv>
  <send><![CDATA[
SIP/2.0 200 OK
[last_Via:]
[last_From:]
[last_To:]
[last_Call-ID:]
[last_CSeq:]
Contact: <sip:door@[local_ip]:[local_port]>
Require: timer
Session-Expires: 90;refresher=uac
Content-Length: 0

]]></send>`;

for (const { what, headers, direction, next, reason } of [
  {
    what: 'sends no sound for 30 s although it owes some, and does not answer when it is asked',
    headers: '',
    direction: 'sendrecv',
    next: '  <recv request="OPTIONS" optional="true"></recv>',
    reason: 'timeout',
  },
  {
    what: 'does not keep its session alive',
    headers: 'Supported: timer\nSession-Expires: 90;refresher=uac\n',
    direction: 'recvonly',
    next: '',
    reason: 'timeout',
  },
  {
    what: 'wants us to keep the session alive, which we do once it is due',
    headers: 'Supported: timer\nSession-Expires: 90;refresher=uas\n',
    direction: 'recvonly',
    next: REFRESHED,
    reason: 'local',
  },
]) {
  test(`should end a call with a remote party that ${what}`, async ({ owner }) => {
    const hall = await startPanel(owner, 'Hall', { env: { FACEPLATE_SIP_AUTO_ANSWER: 'true' } });
    const sipp = await startSipp({
      scenario: { xml: caller(headers, direction, next) },
      target: hall.port,
      limitSeconds: 120,
    });
    owner.after(() => sipp.stop());
    await expect.poll(() => hall.status(), SLOW).toBe('connected (incoming)');
    if (reason === 'local') {
      // Half of the 90 s, and a little.
      await letPass(50_000);
      expect(await hall.status()).toBe('connected (incoming)');
      await hall.sip.hangup();
    }
    expect(await sipp.exited, sipp.output().slice(-1_500)).toBe(0);
    await expect.poll(() => hall.status(), SLOW).toBe('idle');
    expect(hall.heard('callEnded')).toMatchObject([{ reason }]);
  });
}
