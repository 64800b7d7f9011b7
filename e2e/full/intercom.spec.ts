import { readFile } from 'node:fs/promises';
import { type Baresip, startBaresip } from '../../server/testing/sip/baresip.ts';
import { type Kamailio, PBX_REALM, pbxPassword, startKamailio } from '../../server/testing/sip/kamailio.ts';
import { freeSipPort } from '../../server/testing/sip/ports.ts';
import { test as base, expect } from '../fixtures.ts';
import { SipPanel } from '../sipPanel.ts';

interface Fixtures {
  /** Rings when it is called; sends 440 Hz and pictures. */
  door: Baresip;
}
interface WorkerFixtures {
  /** It knows 127.0.0.1 as its front door. */
  hall: SipPanel;
  /** Registered at `pbx` as 8010. */
  attic: SipPanel;
  pbx: Kamailio;
}

const LOOPBACK = '127.0.0.1';
const panelSecret = 'one secret of this house';
/** The browser's fake microphone beeps once a second: polling at that pace could miss every beep. */
const OFTEN = { intervals: [70, 110, 130] };

const test = base.extend<Fixtures, WorkerFixtures>({
  hall: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use) => {
      const hall = await SipPanel.start({
        deviceName: 'Hall',
        discovery: true,
        panelSecret,
        doors: [{ name: 'Front door', peer: LOOPBACK, dtmf: '1#', gapMs: 100 }],
      });
      await use(hall);
      await hall.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  pbx: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
    async ({}, use) => {
      const pbx = await startKamailio();
      await use(pbx);
      await pbx.stop();
    },
    { scope: 'worker' },
  ],
  attic: [
    async ({ pbx }, use) => {
      const attic = await SipPanel.start({
        deviceName: 'Attic',
        discovery: true,
        panelSecret,
        registrar: `${LOOPBACK}:${pbx.port}`,
        username: '8010',
        password: pbxPassword('8010'),
      });
      await use(attic);
      await attic.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
  door: async ({}, use) => {
    const door = await startBaresip({
      video: true,
      accounts: ['<sip:@127.0.0.1:PORT>;regint=0;answermode=manual;audio_codecs=pcmu'],
    });
    await use(door);
    await door.remove();
  },
});

const keysOf = ({ events }: Baresip) =>
  events.filter(({ type }) => type === 'CALL_DTMF_START').map(({ param }) => param);

/** Loudness of a recording (16 bits per sample), 0 to 1. */
async function loudness(file: string): Promise<number> {
  const wav = await readFile(file);
  const start = wav.indexOf('data') + 8;
  let sum = 0;
  for (let at = start; at + 1 < wav.length; at += 2) sum += (wav.readInt16LE(at) / 32_768) ** 2;
  return Math.sqrt(sum / Math.max(1, (wav.length - start) / 2));
}

test('should show the visitor while it rings, talk, open the door and hang up', async ({ hall, door }) => {
  await hall.rest();
  await door.command('dial', `sip:panel@${LOOPBACK}:${hall.port}`);
  await hall.becomes('incoming...');
  expect(await hall.heard('incomingCall')).toMatchObject([
    { callerName: 'Front door', isBroadcast: false, hasVideo: true },
  ]);
  await hall.sip('showVideo', { target: 'remote', divId: 'box' });
  await expect.poll(() => hall.frames('remote')).toBeGreaterThan(5);
  // The bell: 659 and 784 Hz, then 523 and 659 Hz.
  await expect.poll(() => hall.hertz(), OFTEN).toBeGreaterThan(500);
  expect((await hall.sip('getStatus')).callStatus).toBe('incoming...');
  expect(await hall.devices()).not.toContain('video');

  expect(await hall.sip('answer')).toMatchObject({ callStatus: 'connected (incoming)' });
  await expect.poll(() => hall.hertz().then((hertz) => Math.abs(hertz - 440))).toBeLessThan(10);
  const seen = await hall.frames('remote');
  await expect.poll(() => hall.frames('remote')).toBeGreaterThan(seen + 5);
  await hall.sip('showVideo', { target: 'local', rect: { x: 0.75, y: 0.75, w: 0.25, h: 0.25 } });
  await expect.poll(() => hall.frames('local')).toBeGreaterThan(5);
  await expect
    .poll(async () => Number(/vidisp: .* frames=(\d+)/.exec(await door.command('video_debug'))?.[1] ?? 0))
    .toBeGreaterThan(5);

  await expect.poll(() => hall.devices()).toEqual(['audio', 'running', 'video']);
  await hall.sip('setCallVolume', 0);
  await expect.poll(() => hall.hertz(), OFTEN).toBe(0);
  await hall.sip('setCallVolume', 10);
  await expect.poll(() => hall.hertz(), OFTEN).toBeGreaterThan(0);

  expect(await hall.sip('openDoor')).toMatchObject({ lastError: null });
  await expect.poll(() => keysOf(door)).toEqual(['1', '#']);

  await door.command('hangup');
  await hall.becomes('idle');
  expect(await hall.heard('callEnded')).toMatchObject([{ reason: 'remote_bye' }]);
  await expect.poll(() => hall.devices()).toEqual([]);
  await expect(hall.page.locator('[data-faceplate-stream]')).toHaveCount(0);
  await door.stop();
  const [file] = await door.recordings('dec');
  // The browser's fake microphone beeps.
  expect(await loudness(file!)).toBeGreaterThan(0.005);
});

test('should hear the remote party while microphone and camera still open, and keep neither after the call', async ({
  hall,
  door,
}) => {
  const call = async () => {
    await hall.rest();
    const open = await hall.slowSources();
    await hall.sip('placeCallToIp', `${LOOPBACK}:${door.port}`);
    await hall.becomes('ringing');
    await door.command('accept');
    await hall.becomes(/^connected/);
    // Both at once: for a moment the ear still holds the 440 Hz of the call before, while the ringing tone ends.
    await expect
      .poll(async () => [Math.abs((await hall.hertz()) - 440) < 10, ...(await hall.devices())])
      .toEqual([true, 'running']);
    return open;
  };
  const openInTime = await call();
  await openInTime();
  await expect.poll(() => hall.devices()).toEqual(['audio', 'running', 'video']);
  await expect
    .poll(async () => Number(/vidisp: .* frames=(\d+)/.exec(await door.command('video_debug'))?.[1] ?? 0))
    .toBeGreaterThan(5);
  await hall.sip('hangup');
  await door.event('CALL_CLOSED');

  const openTooLate = await call();
  await hall.sip('hangup');
  await openTooLate();
  await expect.poll(() => hall.devices()).toEqual([]);
  await door.stop();
  const [file] = await door.recordings('dec');
  // The microphone that opened in time.
  expect(await loudness(file!)).toBeGreaterThan(0.005);
});

test('should call a door station, and distinguish a busy one from a missing one', async ({ hall, door }) => {
  await hall.rest();
  await hall.sip('placeCallToIp', `${LOOPBACK}:${door.port}`);
  await door.event('CALL_INCOMING');
  await hall.becomes('ringing');
  // The ringing tone of telephones.
  await expect.poll(() => hall.hertz().then((hertz) => Math.abs(hertz - 425))).toBeLessThan(10);
  await door.command('accept');
  await hall.becomes('connected (outgoing, legacy audio)');
  expect(await hall.heard('callConnected')).toMatchObject([
    { direction: 'outgoing', hasVideo: true, legacy: true },
  ]);
  await expect.poll(() => hall.hertz().then((hertz) => Math.abs(hertz - 440))).toBeLessThan(10);
  await hall.sip('sendDtmf', '5');
  await expect.poll(() => keysOf(door)).toEqual(['5']);
  expect(await hall.sip('hangup')).toMatchObject({ callStatus: 'idle' });
  await door.event('CALL_CLOSED');

  await hall.sip('placeCallToIp', `${LOOPBACK}:${door.port}`);
  await hall.becomes('ringing');
  await door.command('hangup');
  await hall.becomes('failed');
  expect(await hall.sip('getStatus')).toMatchObject({ calleeBusy: true });
  await hall.sip('hangup');
  // Nothing listens there, and no ICMP error arrives: 6 s without a sign of life.
  await hall.sip('placeCallToIp', `${LOOPBACK}:${await freeSipPort()}`);
  await hall.becomes('failed');
  expect(await hall.heard('callFailed')).toMatchObject([
    { reason: 'busy', busy: true },
    { reason: 'unreachable', busy: false },
  ]);
  expect((await hall.sip('history')).slice(0, 3).map(({ outcome }) => outcome)).toEqual([
    'failed',
    'busy',
    'answered',
  ]);
});

test('should continue a call when its pages are reloaded or crash', async ({ hall, door }) => {
  const hears = () =>
    expect
      .poll(() => hall.hertz().then((hertz) => Math.abs(hertz - 440)), { timeout: 30_000 })
      .toBeLessThan(10);
  await hall.rest();
  await hall.sip('placeCallToIp', `${LOOPBACK}:${door.port}`);
  await hall.becomes('ringing');
  await door.command('accept');
  await hall.becomes('connected (outgoing, legacy audio)');
  await hears();
  for (const fault of ['reload', 'page', 'hidden'] as const) {
    await hall.sip('showVideo', { target: 'remote', divId: 'box' });
    await expect.poll(() => hall.frames('remote'), fault).toBeGreaterThan(5);
    if (fault === 'reload') await hall.page.reload();
    else await hall.crash(fault);
    if (fault !== 'reload') await hall.attach();
    expect((await hall.sip('getStatus')).callStatus, fault).toBe('connected (outgoing, legacy audio)');
    await hears();
  }
  expect(door.events.filter(({ type }) => type === 'CALL_CLOSED')).toEqual([]);
  await hall.rest();
});

test('should call another panel, and make an announcement to it', async ({ hall, attic }) => {
  await hall.rest();
  await attic.rest();
  await attic.sip('placeCallToIp', `${LOOPBACK}:${hall.port}`);
  await hall.becomes('incoming...');
  await hall.sip('answer');
  await attic.becomes('connected (outgoing)');
  // The beeps of the other panel's fake microphone.
  for (const panel of [hall, attic]) await expect.poll(() => panel.hertz(), OFTEN).toBeGreaterThan(0);
  await hall.sip('setMicMuted', true);
  await expect.poll(() => attic.isSilentFor(1500)).toBe(true);
  await hall.sip('setMicMuted', false);
  await expect.poll(() => attic.hertz(), OFTEN).toBeGreaterThan(0);
  await attic.sip('hangup');
  await hall.becomes('idle');

  await expect
    .poll(() => attic.sip('listPanels'))
    .toContainEqual({ name: 'Hall', host: LOOPBACK, port: hall.port });
  await attic.sip('pageAll');
  await attic.becomes(/^paging \(\d+ active\)$/);
  // It answers automatically, after a tone.
  await hall.becomes('connected (incoming)');
  expect(await hall.sip('getStatus')).toMatchObject({
    incomingIsBroadcast: true,
    // 127.0.0.1 is the door's.
    incomingCallerName: 'Front door',
  });
  await expect.poll(() => hall.hertz(), OFTEN).toBeGreaterThan(0);
  await attic.sip('hangupPageAll');
  await hall.becomes('idle');
});

test('should register at a PBX, call one of its extensions and be called through it', async ({
  attic,
  pbx,
}) => {
  await attic.rest();
  await expect.poll(async () => (await attic.sip('getStatus')).registered).toBe(true);
  const account = `<sip:8001@${PBX_REALM}>;outbound="sip:${LOOPBACK}:${pbx.port};transport=udp";auth_user=8001;auth_pass=${pbxPassword('8001')};regint=60;answermode=auto;audio_codecs=pcma`;
  const phone = await startBaresip({ accounts: [account] });
  try {
    await phone.registered();
    await attic.sip('placeCallToExtension', '8001');
    await attic.becomes('connected (outgoing via PBX, legacy audio)');
    await attic.sip('hangup');
    await phone.event('CALL_CLOSED');
    await attic.becomes('idle');
    await phone.command('dial', `sip:8010@${PBX_REALM}`);
    await attic.becomes('incoming...');
    expect(await attic.sip('getStatus')).toMatchObject({ incomingCallerName: '8001' });
    await attic.sip('reject');
    await attic.becomes('idle');
  } finally {
    await phone.remove();
  }
});

test('should ring, show, talk and hang up in the demo', async ({ startFaceplate, openPage, door }) => {
  const port = await freeSipPort();
  const service = await startFaceplate({
    kiosk: true,
    env: {
      FACEPLATE_KIOSK_FAKE_MEDIA: 'true',
      FACEPLATE_SIP_ENABLED: 'true',
      FACEPLATE_SIP_PORT: String(port),
      FACEPLATE_SIP_HOST: LOOPBACK,
      FACEPLATE_SIP_ALLOW: LOOPBACK,
      FACEPLATE_SIP_DISCOVERY: 'false',
      FACEPLATE_SIP_DEVICE_NAME: 'Hall',
    },
  });
  const page = await openPage(service);
  const state = page.getByTestId('intercom-state');
  const picture = page.locator('[data-faceplate-stream="remote"]');
  await expect(state).toHaveText('Hall: idle');
  await door.command('dial', `sip:panel@${LOOPBACK}:${port}`);
  // The card comes forward automatically.
  await expect(page.getByTestId('intercom-answer')).toBeVisible();
  await expect(page.getByTestId('camera-card')).toBeHidden();
  await expect(picture).toBeVisible();
  await page.getByTestId('intercom-answer').click();
  await expect(state).toContainText('connected (incoming)');
  await page.getByTestId('intercom-pad').click();
  await page.getByTestId('intercom-key-7').click();
  await expect.poll(() => keysOf(door)).toEqual(['7']);
  await page.getByTestId('intercom-mute').click();
  await expect(page.getByTestId('intercom-mute')).toHaveAttribute('aria-pressed', 'true');
  await page.getByTestId('intercom-hangup').click();
  await expect(state).toHaveText('Hall: idle');
  await expect(picture).toHaveCount(0);
  await expect(page.getByTestId('intercom-history')).toContainText('answered');

  await door.command('dial', `sip:panel@${LOOPBACK}:${port}`);
  await expect(picture).toBeVisible();
  await page.getByTestId('intercom-ignore').click();
  await expect(page.getByTestId('intercom-history')).toContainText('ignored');
  // There is no event for it: the picture ends with its connection.
  await expect(picture).toHaveCount(0);
  await door.command('hangup');

  await page.getByTestId('intercom-target').fill(`${LOOPBACK}:${door.port}`);
  await page.getByTestId('intercom-call').click();
  await expect(state).toHaveText('Hall: ringing');
  await page.getByTestId('intercom-hangup').click();
  await page.getByTestId('intercom-target').fill('8001');
  await page.getByTestId('intercom-call').click();
  await expect(state).toHaveText('Hall: failed');
  await expect(page.getByTestId('intercom-status')).toContainText('set sip.registrar');
});

test('should refuse everything while the intercom is switched off', async ({ page }) => {
  const refused = await page.evaluate(async () => {
    const sip = window.container!.sip as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const given: Record<string, unknown[]> = {
      placeCallToIp: ['192.0.2.1'],
      placeCallToExtension: ['8001'],
      setAutoAnswer: [true],
      setMicMuted: [true],
      setCallVolume: [5],
      sendDtmf: ['1'],
      setDoNotDisturb: [true],
      showVideo: [{ target: 'remote', rect: { x: 0, y: 0, w: 1, h: 1 } }],
      resizeVideo: [{ target: 'remote', rect: { x: 0, y: 0, w: 1, h: 1 } }],
    };
    const codes: Record<string, unknown> = {};
    for (const name of Object.keys(sip))
      if (name !== 'on' && name !== 'off')
        codes[name] = await sip[name]!(...(given[name] ?? [])).then(
          () => 'resolved',
          (error) => error.code,
        );
    return codes;
  });
  expect(Object.keys(refused)).toHaveLength(21);
  expect(new Set(Object.values(refused)), JSON.stringify(refused)).toEqual(new Set(['SIP_DISABLED']));
  await page.getByTestId('show-intercom').click();
  await expect(page.getByTestId('intercom-status')).toContainText('Turn the intercom on');
  await expect(page.getByTestId('intercom-call')).toBeDisabled();
});

test('security: should keep the intercom page, and passwords, from the project page and its frames', async ({
  attic,
}) => {
  const origin = new URL(attic.hidden.url()).origin;
  const found = await attic.page.evaluate(async (origin) => {
    const frame = document.createElement('iframe');
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
    frame.src = `${origin}/`;
    document.body.append(frame);
    await loaded;
    const names = ['faceplateHost', 'faceplateSipVideo', 'faceplateStreams'];
    const empty = document.createElement('iframe');
    document.body.append(empty);
    const inside = empty.contentWindow as unknown as object;
    const opened = window.open(`${origin}/`);
    for (let tries = 0; opened !== null && !opened.closed && tries < 100; tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    return {
      held: names.filter((name) => name in window || name in inside),
      container: 'container' in inside,
      canRead: (() => {
        try {
          return frame.contentDocument !== null;
        } catch {
          return true;
        }
      })(),
      opened: opened !== null && !opened.closed,
      fetched: await fetch(`${origin}/main.ts`).then(
        () => 'answered',
        () => 'refused',
      ),
    };
  }, origin);
  expect(found).toEqual({ held: [], container: false, canRead: false, opened: false, fetched: 'refused' });
  // A copy of the page in a frame of ours is no intercom page: calls still go to the hidden one.
  expect(
    await attic.page
      .frames()
      .at(1)
      ?.evaluate(() => 'faceplateHost' in window),
  ).not.toBe(true);

  const authorization = `Bearer ${await attic.service.token()}`;
  const settings = await (
    await fetch(`${await attic.service.url}/api/manage/settings`, { headers: { authorization } })
  ).text();
  expect(settings).toContain('sip.password');
  const places = {
    settings,
    status: JSON.stringify(await attic.sip('getStatus')),
    log: attic.service.output,
  };
  for (const [place, text] of Object.entries(places))
    expect(text.includes(pbxPassword('8010')), place).toBe(false);
  expect(attic.service.output).toContain('"level":"debug"');
});
