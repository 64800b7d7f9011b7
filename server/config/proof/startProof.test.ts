import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, it } from 'node:test';
import { isOwnersAlone, OUTSIDE_ONLY, type SettingKey, settingDeclarations } from '../settings.ts';
import { named, PanelFolder } from '../testing/panelStart.ts';
import { comesBack } from './takenBack.ts';

const OWNER = { isOwner: true };
const SECRET = 'a-secret-token-0123456789';

let folder: PanelFolder;
beforeEach(() => {
  folder = new PanelFolder();
});

describe('a start with settings that have not worked yet', () => {
  it('should take back after three failed ones what was new, and say so until somebody changes it', async () => {
    folder.file({ kiosk: { browserArguments: ['--ozone-platform=x11'], url: 'http://a.lan/' } });
    await folder.works();
    folder.file({ kiosk: { browserArguments: ['--use-gl=egl'], url: 'http://a.lan/' }, board: 'none-such' });
    for (let failed = 0; failed < 3; failed++) {
      const panel = folder.start();
      assert.deepEqual(panel.settings['kiosk.browserArguments'], ['--use-gl=egl']);
      assert.deepEqual(named(panel), []);
      panel.proof.failed();
    }
    const panel = await folder.works();
    assert.deepEqual(panel.settings['kiosk.browserArguments'], ['--ozone-platform=x11']);
    assert.equal(panel.settings['kiosk.url'], 'http://a.lan/');
    assert.equal(panel.settings.board, 'auto');
    assert.deepEqual(named(panel), ['board', 'kiosk.browserArguments']);
    assert.match(panel.undone.list()[0]?.reason ?? '', /3 starts in a row/);
    assert.ok(!Number.isNaN(Date.parse(panel.undone.list()[0]?.at ?? '')));
    // What was wished stays in the file, and the panel goes on without it.
    assert.deepEqual((folder.onDisk() as { board: string }).board, 'none-such');
    const next = await folder.works();
    assert.deepEqual(named(next), ['board', 'kiosk.browserArguments']);
    assert.equal(next.undone.list()[0]?.at, panel.undone.list()[0]?.at);

    await next.store.change({ board: 'simulated' }, OWNER);
    assert.deepEqual(named(next), ['kiosk.browserArguments']);
    await next.store.change({ 'kiosk.browserArguments': null }, OWNER);
    assert.deepEqual(named(next), []);
    const last = folder.start();
    assert.deepEqual(named(last), []);
    assert.equal(last.settings.board, 'simulated');
    assert.deepEqual(last.settings['kiosk.browserArguments'], []);
  });

  it('should try a value again that is set anew, by a caller or by hand', async () => {
    folder.file({ board: 'none-such' });
    for (let failed = 0; failed < 3; failed++) folder.start().proof.failed();
    const panel = folder.start();
    assert.deepEqual(named(panel), ['board']);
    await panel.store.change({ board: 'none-such' }, OWNER);
    assert.equal(folder.start().settings.board, 'none-such');
    for (let failed = 0; failed < 2; failed++) folder.start().proof.failed();
    assert.equal(folder.start().settings.board, 'auto');
    folder.file({ board: 'another' });
    assert.equal(folder.start().settings.board, 'another');
  });

  it('should count neither an end that somebody wants, nor one of a panel that worked', async () => {
    folder.file({ board: 'one' });
    for (let ended = 0; ended < 9; ended++) folder.start().proof.ended();
    assert.deepEqual(named(folder.start()), []);
    await folder.works();
    // Nothing has changed since: whatever ends it, there is nothing to take back.
    for (let crashed = 0; crashed < 9; crashed++) folder.start();
    assert.equal(folder.start().settings.board, 'one');
  });

  it('should be taken back at once where it is ready and shows nothing for 60 s', async () => {
    await folder.works();
    folder.file({ kiosk: { headless: true } });
    const panel = folder.start();
    panel.proof.ready(true);
    panel.proof.pageIs('loading');
    await panel.clock.advance(59_999);
    assert.deepEqual(panel.restarts, []);
    await panel.clock.advance(1);
    assert.equal(panel.restarts.length, 1);
    panel.proof.ended();
    const next = folder.start();
    assert.equal(next.settings['kiosk.headless'], 'auto');
    assert.deepEqual(named(next), ['kiosk.headless']);
    assert.match(next.undone.list()[0]?.reason ?? '', /no picture/);
    // The settings are those that worked: without a picture nothing more is to be done.
    next.proof.ready(true);
    await next.clock.advance(120_000);
    assert.deepEqual(next.restarts, []);
    assert.equal(next.clock.pending, 0);
  });

  it('should not be taken back for want of a picture where no settings are known to have worked', async () => {
    folder.file({ kiosk: { headless: true } });
    const panel = folder.start();
    panel.proof.ready(true);
    await panel.clock.advance(120_000);
    assert.deepEqual(panel.restarts, []);
    panel.proof.pageIs('shown');
    await panel.proof.stop();
    assert.deepEqual(folder.onDisk('settings.good.json'), { kiosk: { headless: true } });
  });

  it('should work with ready alone where there is no page, and with a notice instead of the page', async () => {
    folder.file({ board: 'one' });
    const headless = folder.start();
    headless.proof.ready(false);
    await headless.proof.stop();
    assert.deepEqual(folder.onDisk('settings.good.json'), { board: 'one' });
    folder.file({ board: 'two' });
    const waiting = folder.start();
    waiting.proof.pageIs('waiting');
    assert.deepEqual(folder.onDisk('settings.good.json'), { board: 'one' });
    waiting.proof.ready(true);
    await waiting.proof.stop();
    assert.deepEqual(folder.onDisk('settings.good.json'), { board: 'two' });
  });

  it('should take back how the screen is scaled and turned', async () => {
    const display = (zoom: number, rotation: number) =>
      writeFileSync(
        folder.path('display.json'),
        JSON.stringify({ version: 1, value: { brightness: 40, zoom, rotation } }),
      );
    display(1.5, 90);
    await folder.works();
    display(5, 180);
    for (let failed = 0; failed < 3; failed++) folder.start().proof.failed();
    const panel = folder.start();
    assert.deepEqual(named(panel), ['display.rotation', 'display.zoom']);
    assert.deepEqual(folder.onDisk('display.json'), {
      version: 1,
      value: { brightness: 40, zoom: 1.5, rotation: 90 },
    });
    panel.undone.forget(['display.zoom']);
    assert.deepEqual(named(folder.start()), ['display.rotation']);
  });

  it('should keep what was changed while the panel ran, once it did for a minute', async () => {
    const panel = await folder.works();
    await panel.store.change({ 'kiosk.quietHour': 5, 'kiosk.headless': true }, OWNER);
    await panel.clock.advance(59_000);
    assert.deepEqual(folder.onDisk('settings.good.json'), {});
    await panel.clock.advance(1_000);
    await panel.proof.stop();
    // The other one has its turn with the next start.
    assert.deepEqual(folder.onDisk('settings.good.json'), { kiosk: { quietHour: 5 } });
  });

  it('should write nothing while nothing changes', async () => {
    await folder.works();
    assert.deepEqual(readdirSync(folder.dataDir), ['settings.good.json']);
    folder.file({ board: 'one' });
    await folder.works();
    const before = ['settings.good.json', 'starts.json'].map((name) => statSync(folder.path(name)).mtimeMs);
    await folder.works();
    await folder.works();
    assert.deepEqual(
      ['settings.good.json', 'starts.json'].map((name) => statSync(folder.path(name)).mtimeMs),
      before,
    );
  });

  it('should not take back what a flag or the environment holds, nor a settings file that only repeats it', async () => {
    folder.file({ board: 'one' });
    for (let failed = 0; failed < 4; failed++) folder.start({ FACEPLATE_BOARD: 'two' }).proof.failed();
    const panel = folder.start({ FACEPLATE_BOARD: 'two' });
    assert.equal(panel.settings.board, 'two');
    assert.deepEqual(named(panel), []);
  });

  it('security: should bring back no rule of access, no secret and nothing that belongs to one', async () => {
    const before = {
      kiosk: {
        pin: '2580',
        logins: [{ origin: 'http://hub.lan', username: 'u', password: SECRET }],
        inject: [
          { origin: 'http://a.lan', js: 'a = 1' },
          { origin: 'http://b.lan', js: 'b = 1' },
        ],
      },
      bridge: { origins: ['http://old.lan'], allowInstall: true },
      http: { host: '0.0.0.0', allowedOrigins: ['http://old.lan'], allowedHosts: ['old.lan'] },
      mqtt: { url: 'mqtts://old.lan', password: SECRET, scopes: ['view', 'manage'], fleet: true },
      sip: { registrar: 'old.lan', password: SECRET, allowLan: true },
      update: { channel: 'http://old.lan/' },
    };
    folder.file(before);
    await folder.works();
    const wished = {
      kiosk: {
        pin: '1111',
        inject: [
          { origin: 'http://a.lan', js: 'a = 1' },
          { origin: 'http://c.lan', js: 'c = 1' },
        ],
        browserArguments: ['--use-gl=egl'],
      },
      terminal: { enabled: false },
      http: { host: '127.0.0.1' },
      approval: { commands: ['system.reboot'] },
    };
    folder.file(wished);
    for (let failed = 0; failed < 3; failed++) folder.start().proof.failed();
    const panel = folder.start();
    assert.deepEqual(named(panel), ['kiosk.browserArguments', 'kiosk.inject']);
    const now = panel.settings;
    assert.equal(now['kiosk.pin'], '1111');
    assert.deepEqual(now['kiosk.logins'], []);
    // Neither what is new, nor what somebody has removed.
    assert.deepEqual(now['kiosk.inject'], [{ origin: 'http://a.lan', js: 'a = 1' }]);
    assert.deepEqual([now['bridge.origins'], now['bridge.allowInstall']], [[], false]);
    assert.equal(now['http.host'], '127.0.0.1');
    assert.deepEqual([now['http.allowedOrigins'], now['http.allowedHosts']], [[], []]);
    assert.deepEqual([now['mqtt.url'], now['mqtt.password'], now['mqtt.fleet']], ['', '', false]);
    assert.deepEqual([now['sip.registrar'], now['sip.password'], now['sip.allowLan']], ['', '', false]);
    assert.equal(now['update.channel'], '');
    assert.equal(now['terminal.enabled'], false);
    assert.deepEqual(now['approval.commands'], ['system.reboot']);
  });

  it('security: should keep the settings that worked as settings.json is kept, and name no value', async () => {
    folder.file({ token: SECRET, kiosk: { pin: '2580' }, board: 'one' });
    await folder.works();
    assert.equal(statSync(folder.path('settings.good.json')).mode & 0o777, 0o600);
    assert.equal(statSync(folder.path('starts.json')).mode & 0o777, 0o600);
    folder.file({ token: SECRET, kiosk: { pin: '25', url: SECRET } });
    const panel = folder.start();
    assert.deepEqual(named(panel), ['kiosk.pin', 'kiosk.url']);
    assert.ok(!JSON.stringify(panel.undone.list()).includes(SECRET));
    assert.ok(!readFileSync(folder.path('starts.json'), 'utf8').includes(SECRET));
  });
});

const keys = Object.keys(settingDeclarations) as SettingKey[];

/** Why each of the owner's settings may come back although it lets code or a person in. */
const REASONS: Readonly<Partial<Record<SettingKey, string>>> = {
  board: 'the panel does not start with a profile that is not there',
  'bridge.aliases': 'a name that the page needs for itself; who gets the bridge is another setting',
  host: 'what is not installed shows nothing',
  'kiosk.browserArguments': 'from the list of allowed ones, then and now',
  'kiosk.inject': 'only what was there and is still wished',
  'kiosk.user': 'the browser does not start as a user who is not there',
};

it('security: what lets code or a person in comes back only with a reason', () => {
  assert.deepEqual(
    keys.filter((key) => isOwnersAlone(key) && comesBack(key)),
    keys.filter((key) => Object.hasOwn(REASONS, key)),
  );
});

it('security: no secret comes back, nothing that one is sent to, and nothing that is set from outside alone', () => {
  const back = keys.filter(comesBack);
  assert.deepEqual(
    back.filter((key) => 'secret' in settingDeclarations[key] || OUTSIDE_ONLY.includes(key)),
    [],
  );
  assert.deepEqual(
    back.filter((key) => /^(?:http|https|mqtt|sip|update|token|terminal|approval)\b/.test(key)),
    [],
  );
  assert.ok(back.length > 20, 'what is shown, and how, does come back');
});
