import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type ErrorCode, FaceplateError } from '../../contract/errors.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeWallClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import type { SetupStep } from './contract.ts';
import { FindPages } from './findPages.ts';
import { FIRST_PIN_MS, panelFacts, panelOnScreen, SettingsPageService } from './service.ts';

const refused =
  (code: ErrorCode, words = /./) =>
  (error: unknown) =>
    error instanceof FaceplateError && error.code === code && words.test(error.message);

const MANAGE = 'http://10.0.0.5:8080/manage/';
const plain = { mode: 'settings', setupStep: null, manageUrl: MANAGE };

describe('the settings page', () => {
  let clock: FakeWallClock;
  let dataDir: string;
  let heldPin: string;
  let page: SettingsPageService;
  let open: number;
  let end: () => void;
  let rotated: number;
  let isWanted: boolean;
  let isFresh: boolean;
  const services: SettingsPageService[] = [];

  const makePage = async () => {
    const service = new SettingsPageService({
      dataDir,
      heldPin: () => heldPin,
      clock,
      log: silentLogger(),
      token: { show: () => ({ token: 'secret', held: false }), rotate: () => ({ token: 'new' }) },
      onRotated: () => rotated++,
      pages: new FindPages({ closedPorts: () => 'all', clock, log: silentLogger() }),
      manageUrl: () => MANAGE,
      setup: { isWanted, isFresh: () => isFresh },
      window: {
        open: async (onGone) => {
          open++;
          end = onGone;
          return { close: async () => void open-- };
        },
      },
    });
    await service.start();
    services.push(service);
    return service;
  };

  beforeEach(async () => {
    clock = new FakeWallClock('2026-11-25T08:00:00Z');
    dataDir = temporaryFolder('pin');
    heldPin = '';
    open = rotated = 0;
    isWanted = isFresh = false;
    page = await makePage();
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop();
    assert.equal(clock.pending, 0);
  });

  it('should say that it covers the page, until it is closed or gone', async () => {
    const covers: boolean[] = [];
    page.onCover(() => covers.push(page.isOpen));
    await page.open();
    await page.close();
    await page.open();
    end();
    assert.deepEqual(covers, [true, false, true, false]);
  });

  it('should ask for a PIN at the first opening, and for that PIN from then on', async () => {
    await page.open();
    assert.deepEqual(page.status(), { ...plain, pin: 'missing', locked: true, waitSeconds: 0 });
    assert.deepEqual(page.pinState(), { pin: 'missing', chosenAt: null });
    await assert.rejects(page.unlock({ pin: '0000' }), refused('CONFLICT'));
    assert.deepEqual(await page.setPin({ pin: '2580' }), {
      ...plain,
      pin: 'set',
      locked: false,
      waitSeconds: 0,
    });
    await page.close();
    assert.equal(page.isUnlocked, false);
    clock.jump(86_400_000);
    const again = await makePage();
    await again.open();
    assert.deepEqual(again.status(), { ...plain, pin: 'set', locked: true, waitSeconds: 0 });
    assert.deepEqual(again.pinState(), { pin: 'set', chosenAt: '2026-11-25T08:00:00.000Z' });
    await assert.rejects(again.setPin({ pin: '1111' }), refused('CONFLICT'));
    assert.equal((await again.unlock({ pin: '2580' })).locked, false);
    assert.equal(again.pinState().chosenAt, '2026-11-25T08:00:00.000Z');
    await again.changePin({ pin: '87654321' });
    assert.equal(again.pinState().chosenAt, '2026-11-26T08:00:00.000Z');
    await again.close();
    await again.open();
    await assert.rejects(again.unlock({ pin: '2580' }), refused('FORBIDDEN'));
    assert.equal((await again.unlock({ pin: '87654321' })).locked, false);
  });

  it('security: should take a first PIN in the first ten minutes after the start alone, and say so after', async () => {
    await clock.advance(FIRST_PIN_MS - 1);
    await page.open();
    assert.equal(page.status().pin, 'missing');
    // Who opened it in time may finish.
    await clock.advance(60_000);
    page.touch();
    assert.equal(page.status().pin, 'missing');
    await page.close();
    await page.open();
    assert.deepEqual(page.status(), { ...plain, pin: 'closed', locked: true, waitSeconds: 0 });
    await assert.rejects(page.setPin({ pin: '2580' }), refused('FORBIDDEN', /Restart it/));
    assert.equal(page.isUnlocked, false);
    // The owner has two ways in: a restart of the panel, and the setting.
    const again = await makePage();
    await again.open();
    assert.equal((await again.setPin({ pin: '2580' })).locked, false);
    heldPin = '2222';
    assert.equal((await page.unlock({ pin: '2222' })).locked, false);
  });

  it('should answer the page that asks to be closed before it closes it', async () => {
    await page.open();
    assert.deepEqual(page.leave(), { status: 'ok' });
    assert.equal(open, 1);
    await until(() => open === 0, 'the page to close');
  });

  it('security: should keep the PIN as a salted hash only, for its owner only', async () => {
    await page.setPin({ pin: '25802580' });
    const path = join(dataDir, 'pin.json');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    for (const name of await readdir(dataDir))
      assert.doesNotMatch(await readFile(join(dataDir, name), 'utf8'), /25802580/);
    const first = await readFile(path, 'utf8');
    await page.changePin({ pin: '25802580' });
    assert.notEqual(await readFile(path, 'utf8'), first);
  });

  it('security: should delay further tries from the third wrong PIN on, twice as long each time', async () => {
    await page.open();
    await page.setPin({ pin: '2580' });
    await page.close();
    await page.open();
    const wrong = () => assert.rejects(page.unlock({ pin: '0000' }), refused('FORBIDDEN'));
    await wrong();
    await wrong();
    assert.equal(page.status().waitSeconds, 0);
    for (const seconds of [5, 10, 20, 40]) {
      await wrong();
      assert.equal(page.status().waitSeconds, seconds);
      await assert.rejects(page.unlock({ pin: '2580' }), refused('RATE_LIMITED', new RegExp(`${seconds}`)));
      // Neither closing the page nor restarting the service gets around it.
      await page.close();
      await page.open();
      assert.equal(page.status().waitSeconds, seconds);
      assert.equal((await makePage()).status().waitSeconds, seconds);
      await clock.advance(seconds * 1_000);
    }
    assert.equal((await page.unlock({ pin: '2580' })).locked, false);
    await page.close();
    await page.open();
    await wrong();
    assert.equal(page.status().waitSeconds, 0);
  });

  it('security: should check PINs one after the other, even when they come at once', async () => {
    await page.setPin({ pin: '2580' });
    const guesses = ['0', '1', '2', '3', '4', '5'].map((digit) => page.unlock({ pin: digit.repeat(4) }));
    const codes = (await Promise.allSettled(guesses)).map(
      (guess) => guess.status === 'rejected' && guess.reason.code,
    );
    const [no, wait] = ['FORBIDDEN', 'RATE_LIMITED'];
    assert.deepEqual(codes, [no, no, no, wait, wait, wait]);
    await clock.advance(5_000);
  });

  /** Nothing can be written below it, as on a full or read-only disk. */
  const breakDisk = () => mkdir(join(dataDir, 'pin.json.tmp'));
  const mendDisk = () => rm(join(dataDir, 'pin.json.tmp'), { recursive: true, force: true });

  it('security: should count tries that cannot be written to disk, and check no PIN then', async () => {
    await page.setPin({ pin: '2580' });
    await page.close();
    await page.open();
    await breakDisk();
    const codes = [];
    for (const pin of ['0000', '2580', '0001', '2580', '0002'])
      codes.push(await page.unlock({ pin }).then(undefined, ({ code }) => code));
    const [full, wait] = ['STORAGE_FULL', 'RATE_LIMITED'];
    assert.deepEqual(codes, [full, full, full, wait, wait]);
    assert.equal(page.status().waitSeconds, 5);
    assert.equal(page.isUnlocked, false);
    await clock.advance(5_000);
    await mendDisk();
    await assert.rejects(page.unlock({ pin: '0003' }), refused('FORBIDDEN'));
    assert.equal(page.status().waitSeconds, 10);
    assert.equal((await makePage()).status().waitSeconds, 10);
    await clock.advance(10_000);
    assert.equal((await page.unlock({ pin: '2580' })).locked, false);
  });

  for (const [what, spoil] of [
    ['is damaged', (path: string) => writeFile(path, '{"hash":')],
    ['is empty', (path: string) => writeFile(path, '')],
    ['cannot be read', (path: string) => rm(path).then(() => mkdir(path))],
  ] as const)
    it(`security: should stay locked when pin.json ${what}, until kiosk.pin is set`, async () => {
      await page.setPin({ pin: '2580' });
      const path = join(dataDir, 'pin.json');
      await spoil(path);
      // Also after the second start: nothing has set the file aside in between.
      for (let start = 0; start < 2; start++) {
        page = await makePage();
        await page.open();
        assert.deepEqual(page.status(), { ...plain, pin: 'set', locked: true, waitSeconds: 0 });
        await assert.rejects(page.setPin({ pin: '1111' }), refused('CONFLICT'));
        await assert.rejects(page.unlock({ pin: '2580' }), refused('CONFLICT', /kiosk\.pin/));
        assert.equal(page.isUnlocked, false);
      }
      heldPin = '2222';
      await assert.rejects(page.unlock({ pin: '1111' }), refused('FORBIDDEN'));
      assert.equal((await page.unlock({ pin: '2222' })).locked, false);
      if (what === 'cannot be read') return;
      // From now on this is the panel's own PIN.
      heldPin = '';
      page = await makePage();
      await page.open();
      await assert.rejects(page.unlock({ pin: '1111' }), refused('FORBIDDEN'));
      assert.equal((await page.unlock({ pin: '2222' })).locked, false);
    });

  it('should accept a PIN that was set before its file had a version', async () => {
    const version0 = join(import.meta.dirname, '../../testing/dataFolders/version0');
    await cp(join(version0, 'pin.json'), join(dataDir, 'pin.json'));
    page = await makePage();
    await page.open();
    await assert.rejects(page.setPin({ pin: '1111' }), refused('CONFLICT'));
    assert.equal((await page.unlock({ pin: '2580' })).locked, false);
  });

  for (const [what, change] of [
    ['hashes in another way', (pin: object) => ({ ...pin, hash: { argon2id: 'x' } })],
    ['hashes in another text', (pin: object) => ({ ...pin, hash: '$argon2id$v=19$x' })],
    ['keeps it under another name', ({ hash: _hash, ...pin }: { hash?: string }) => ({ ...pin, code: 'x' })],
    ['keeps it in another field too', (pin: object) => ({ ...pin, hash: null, users: [{ pin: 'x' }] })],
    ['counts in another way', (pin: object) => ({ ...pin, wrong: { since: 1 } })],
    ['keeps in a list', () => ['x']],
  ] as const)
    it(`security: should stay locked if a later version ${what}, until kiosk.pin is set`, async () => {
      await page.setPin({ pin: '2580' });
      const path = join(dataDir, 'pin.json');
      const { value } = JSON.parse(await readFile(path, 'utf8'));
      await writeFile(path, JSON.stringify({ version: 9, value: change(value) }));
      for (let start = 0; start < 2; start++) {
        page = await makePage();
        await page.open();
        assert.deepEqual(page.status(), { ...plain, pin: 'set', locked: true, waitSeconds: 0 });
        await assert.rejects(page.setPin({ pin: '1111' }), refused('CONFLICT'));
        await assert.rejects(page.unlock({ pin: '2580' }), refused('CONFLICT', /kiosk\.pin/));
      }
      heldPin = '2222';
      await assert.rejects(page.unlock({ pin: '2580' }), refused('FORBIDDEN'));
      assert.equal((await page.unlock({ pin: '2222' })).locked, false);
      heldPin = '';
      page = await makePage();
      await page.open();
      await assert.rejects(page.unlock({ pin: '1111' }), refused('FORBIDDEN'));
      assert.equal((await page.unlock({ pin: '2222' })).locked, false);
    });

  it('should accept the PIN of a later version that only adds fields', async () => {
    await page.setPin({ pin: '2580' });
    const path = join(dataDir, 'pin.json');
    const { value } = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ version: 9, value: { ...value, setAt: 5 } }));
    page = await makePage();
    await page.open();
    await assert.rejects(page.unlock({ pin: '1111' }), refused('FORBIDDEN'));
    assert.equal((await page.unlock({ pin: '2580' })).locked, false);
    const kept = JSON.parse(await readFile(path, 'utf8'));
    assert.deepEqual(kept, { version: 1, latest: 9, value: { ...value, setAt: 5 } });
  });

  it('security: should accept kiosk.pin without a disk, and count its tries in memory', async () => {
    heldPin = '2222';
    await page.open();
    await breakDisk();
    for (let i = 0; i < 3; i++) await assert.rejects(page.unlock({ pin: '0000' }), refused('FORBIDDEN'));
    await assert.rejects(page.unlock({ pin: '2222' }), refused('RATE_LIMITED'));
    await clock.advance(5_000);
    assert.equal((await page.unlock({ pin: '2222' })).locked, false);
    await mendDisk();
  });

  it('should prefer the setting kiosk.pin', async () => {
    await page.open();
    await page.setPin({ pin: '1111' });
    await page.close();
    await page.open();
    heldPin = '2222';
    assert.equal(page.status().pin, 'held');
    await assert.rejects(page.unlock({ pin: '1111' }), refused('FORBIDDEN'));
    assert.equal((await page.unlock({ pin: '2222' })).locked, false);
    await assert.rejects(page.changePin({ pin: '3333' }), refused('CONFLICT', /kiosk\.pin/));
  });

  it('should close and lock after two minutes without a touch', async () => {
    await page.open();
    await page.setPin({ pin: '2580' });
    await clock.advance(119_000);
    page.touch();
    await clock.advance(119_000);
    assert.deepEqual([open, page.isUnlocked], [1, true]);
    await clock.advance(1_000);
    assert.deepEqual([open, page.isUnlocked], [0, false]);
    await page.open();
    assert.deepEqual([open, page.isUnlocked], [1, false]);
  });

  it('should open once, and again after the page ended on its own', async () => {
    await Promise.all([page.open(), page.open()]);
    assert.equal(open, 1);
    await page.setPin({ pin: '2580' });
    end();
    assert.equal(page.isUnlocked, false);
    await page.open();
    assert.equal(open, 2);
  });

  it('security: a PIN entered in a page that has closed since should not unlock the next one', async () => {
    await page.open();
    await page.setPin({ pin: '2580' });
    await page.close();
    await page.open();
    const late = page.unlock({ pin: '2580' });
    await page.close();
    await page.open();
    await late;
    assert.equal(page.isUnlocked, false);
  });

  it('should show and rotate the token, and report the rotation', () => {
    assert.deepEqual(page.showToken(), { token: 'secret', held: false });
    assert.deepEqual(page.rotateToken(), { token: 'new' });
    assert.equal(rotated, 1);
  });

  it('security: should show the address of HTTPS where that is on', () => {
    const web = { port: 8080, securePort: 8443 };
    const own = { name: 'Hall', language: 'en', web, versions: {} } as const;
    const { url, port } = panelFacts(own);
    assert.match(url, /^https:\/\/.+:8443$/);
    assert.equal(port, 8443);
    assert.match(panelOnScreen(own).manageUrl ?? 'https://:8443/manage/', /^https:\/\/.*:8443\/manage\/$/);
  });

  it('should show the address of the panel', () => {
    const web = { port: 8080, securePort: undefined };
    const own = { name: 'Hall', language: 'en', web, versions: { Faceplate: '1' } } as const;
    const facts = panelFacts(own);
    assert.match(facts.url, /^http:\/\/.+:8080$/);
    assert.equal(facts.port, 8080);
  });
});

describe('the first set-up', () => {
  let clock: FakeWallClock;
  let dataDir: string;
  let opened: number;
  let isBrowserUp: boolean;
  let loseBrowser: () => void;
  const services: SettingsPageService[] = [];

  const panel = async ({ isWanted = true, isFresh = true } = {}) => {
    const service = new SettingsPageService({
      dataDir,
      heldPin: () => '',
      clock,
      log: silentLogger(),
      token: { show: () => ({ token: 'secret', held: false }), rotate: () => ({ token: 'new' }) },
      onRotated: () => {},
      pages: new FindPages({ closedPorts: () => 'all', clock, log: silentLogger() }),
      manageUrl: () => MANAGE,
      setup: { isWanted, isFresh: () => isFresh },
      window: {
        open: async (onGone) => {
          if (!isBrowserUp) throw new Error('no browser');
          loseBrowser = () => {
            opened--;
            onGone();
          };
          opened++;
          return { close: async () => void opened-- };
        },
      },
    });
    await service.start();
    services.push(service);
    return service;
  };

  beforeEach(async () => {
    isBrowserUp = true;
    clock = new FakeWallClock('2026-11-25T08:00:00Z');
    dataDir = temporaryFolder('setup');
    opened = 0;
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop();
    assert.equal(clock.pending, 0);
  });

  it('should open by itself on a panel that was never set up, and stay until a person goes on', async () => {
    const page = await panel();
    await page.openSetup();
    assert.equal(opened, 1);
    assert.deepEqual([page.status().mode, page.status().setupStep], ['setup', 'language']);
    await clock.advance(3_600_000);
    assert.equal(opened, 1);
  });

  it('should open with a browser that comes late, and again with one that was lost, until a person leaves it', async () => {
    isBrowserUp = false;
    const page = await panel();
    await page.openSetup();
    assert.equal(opened, 0);
    isBrowserUp = true;
    await page.browserBack();
    assert.equal(opened, 1);
    loseBrowser();
    await page.browserBack();
    await page.browserBack();
    assert.deepEqual([opened, page.status().mode], [1, 'setup']);
    await page.close();
    await page.browserBack();
    assert.equal(opened, 0);
  });

  it('should not open at a desk, on a panel that has settings, and once it is done', async () => {
    for (const options of [{ isWanted: false }, { isFresh: false }]) await (await panel(options)).openSetup();
    const page = await panel();
    await page.openSetup();
    await page.noteSetup({ step: 'done' });
    await page.close();
    await (await panel()).openSetup();
    assert.equal(opened, 0);
  });

  it('should be left and taken up again, also after a restart that finds settings', async () => {
    const page = await panel();
    await page.openSetup();
    await page.noteSetup({ step: 'network' });
    await page.close();
    await page.open();
    assert.deepEqual([page.status().mode, page.status().setupStep], ['settings', 'network']);
    await page.close();
    const later = await panel({ isFresh: false });
    await later.openSetup();
    assert.deepEqual([later.status().mode, later.status().setupStep], ['setup', 'network']);
  });

  it('should pass the steps that were answered elsewhere, both ways and after a restart', async () => {
    await (await panel()).noteGiven(['language', 'network', 'time']);
    const page = await panel({ isFresh: false });
    await page.openSetup();
    assert.equal(page.status().setupStep, 'name');
    const go = async (step: SetupStep) => (await page.noteSetup({ step })).setupStep;
    assert.equal(await go('language'), 'name');
    assert.equal(await go('pin'), 'pin');
    assert.equal(await go('network'), 'name');
    assert.equal(await go('time'), 'pin');
    assert.equal(await go('done'), null);
  });

  it('should ask nothing where all was answered, and nobody who was set up before', async () => {
    const steps = ['language', 'name', 'pin', 'network', 'time', 'show'] as const;
    await (await panel({ isFresh: false })).noteGiven(steps);
    await (await panel()).noteGiven(steps);
    await (await panel()).openSetup();
    assert.equal(opened, 0);
  });

  it('security: should let the first PIN be chosen however long the set-up waits, and not once it was left', async () => {
    const page = await panel();
    await page.openSetup();
    await clock.advance(24 * 3_600_000);
    assert.equal(page.status().pin, 'missing');
    await page.close();
    await page.open();
    assert.equal(page.status().pin, 'closed');
    await page.close();
    await page.openSetup();
    assert.equal((await page.setPin({ pin: '2580' })).pin, 'set');
  });

  it('security: should count the ten minutes of a first PIN from where the set-up shows its code', async () => {
    const page = await panel();
    await page.openSetup();
    await clock.advance(24 * 3_600_000);
    page.codeShown();
    await page.close();
    await clock.advance(FIRST_PIN_MS - 1);
    await page.open();
    assert.equal(page.status().pin, 'missing');
    page.codeShown();
    await page.close();
    await clock.advance(1);
    await page.open();
    assert.equal(page.status().pin, 'closed', 'the settings show a code for others');
  });

  it('security: should need no PIN while there is none, and lock like the settings from then on', async () => {
    const page = await panel();
    assert.deepEqual([page.isUnlocked, page.isFirstSetup], [false, false]);
    await page.openSetup();
    assert.deepEqual([page.isUnlocked, page.isFirstSetup], [true, true]);
    await page.close();
    assert.deepEqual([page.isUnlocked, page.isFirstSetup], [false, false]);
    await page.open();
    assert.equal(page.isUnlocked, false, 'the settings ask for a PIN first');
    await page.close();
    await page.openSetup();
    await page.setPin({ pin: '2580' });
    assert.deepEqual([page.isUnlocked, page.isFirstSetup], [true, false]);
    page.touch();
    await clock.advance(120_000);
    assert.equal(opened, 0);
    await page.openSetup();
    assert.equal(page.isUnlocked, false);
  });

  it('should say once, over the first project, how the settings are opened', async () => {
    const page = await panel();
    page.projectShown();
    await clock.advance(10_000);
    assert.equal(opened, 0, 'not before the set-up is done');
    await page.noteSetup({ step: 'done' });
    page.projectShown();
    await clock.advance(2_000);
    assert.equal(opened, 1);
    assert.equal(page.status().mode, 'hint');
    assert.equal(page.isUnlocked, false);
    await clock.advance(15_000);
    await until(() => opened === 0, 'the hint to go');
    page.projectShown();
    await clock.advance(10_000);
    assert.equal(opened, 0);
  });
});
