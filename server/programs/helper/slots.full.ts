import assert from 'node:assert/strict';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RaucUpdates } from '../../parts/update/raucSlots.ts';
import { UpdatePanel } from '../../parts/update/testing/updatePanel.ts';
import { selfSigned } from '../../testing/selfSigned.ts';
import { noRauc } from '../../testing/signedFiles.ts';
import { until } from '../../testing/waiting.ts';
import { SlotMachine } from './testing/slotMachine.ts';

const noGrub = !existsSync('/usr/bin/grub-editenv') && 'needs grub-editenv (grub-common)';
const noRoot = process.getuid?.() !== 0 && 'needs root, to take a file over';
const VERSIONS = { A: '1.0.0', B: '1.1.0' };
const MINUTE = 60_000;

async function machine(): Promise<SlotMachine> {
  const made = new SlotMachine();
  await made.start();
  return made;
}

/** The service of a machine. */
function panelOf(slots: SlotMachine): UpdatePanel<RaucUpdates> {
  const panel = new UpdatePanel<RaucUpdates>(slots.driver());
  slots.update = join(panel.dataDir, 'update');
  return panel;
}

/** A service whose machine has installed 1.1.0 and restarted into it. */
async function updated(slots: SlotMachine, version = '1.1.0') {
  const panel = panelOf(slots);
  await panel.start(slots.version);
  await panel.install({}, readFileSync(slots.bundle(version)));
  await panel.clock.advance(10_000);
  await until(() => slots.reboots === 1);
  slots.boot({ ...VERSIONS, B: version });
  return panel;
}

/** The service of a boot. */
async function start(panel: UpdatePanel<RaucUpdates>, slots: SlotMachine, options?: { isReady?: boolean }) {
  panel.driver = slots.driver();
  await panel.startAfterCrash(slots.version, options?.isReady);
}

describe('two slots', { skip: noRauc || noGrub || noRoot }, () => {
  test('should install into the other slot, count it from before the first byte, and call it good', async () => {
    await using slots = await machine();
    await using panel = panelOf(slots);
    const progress: (number | null)[] = [];
    await panel.start('1.0.0');
    assert.deepEqual(
      [panel.service.state().slot, panel.driver.board, panel.driver.restarts],
      ['A', 'faceplate-amd64', 'machine'],
    );
    const path = slots.bundle('1.1.0');
    await panel.driver.install(path, (percent) => progress.push(percent));
    assert.deepEqual(progress, [0, 40, 100]);
    // As the slot was being written: whatever cuts it, the boot loader takes A, and counts B once it is whole.
    const meanwhile = readFileSync(join(slots.root, 'while-written'), 'utf8');
    assert.match(meanwhile, /^ORDER=A B$/m);
    assert.match(meanwhile, /^PROVING=B$/m);
    assert.match(meanwhile, /^B_OK=0$/m);
    assert.equal(existsSync(path), false);
    assert.deepEqual(readdirSync(slots.versions).sort(), ['slot-A', 'slot-B']);
    assert.deepEqual(slots.environment(), {
      ...{ ORDER: 'B A', A_OK: '1', A_TRY: '0', B_OK: '1', B_TRY: '0', PROVING: 'B' },
    });
    assert.equal(slots.boot(VERSIONS), 'B');
    const driver = slots.driver();
    assert.equal(await driver.isUnproven(), true);
    assert.equal(await driver.before(), '1.0.0');
    await driver.markGood();
    assert.equal(await driver.isUnproven(), false);
    assert.deepEqual(slots.environment(), {
      ...{ ORDER: 'B A', A_OK: '1', A_TRY: '0', B_OK: '1', B_TRY: '0', PROVING: '' },
    });
    for (let boot = 0; boot < 5; boot++) assert.equal(slots.boot(VERSIONS), 'B');
  });

  test('should prove the version of the next boot, say which slot runs, and keep it', async () => {
    await using slots = await machine();
    await using panel = await updated(slots);
    assert.equal(slots.running, 'B');
    await start(panel, slots);
    assert.deepEqual([panel.service.state().slot, panel.service.state().state], ['B', 'proving']);
    await panel.clock.advance(62_000);
    await until(() => panel.service.state().last?.result === 'good');
    assert.equal(slots.environment().PROVING, '');
  });

  test('should be back on the version before after three boots that were cut short, and say so', async () => {
    await using slots = await machine();
    await using panel = await updated(slots);
    // The first boot was counted already; in none of them does the service come up.
    assert.deepEqual([slots.running, slots.boot(VERSIONS), slots.boot(VERSIONS)], ['B', 'B', 'B']);
    assert.equal(slots.boot(VERSIONS), 'A');
    await start(panel, slots);
    const { state, last, installed } = panel.service.state();
    assert.deepEqual([state, installed, last?.version, last?.result], ['idle', '1.0.0', '1.1.0', 'returned']);
    assert.match(last!.reason!, /cut off three times/);
    assert.equal(panel.told.length, 1);
    const { PROVING, B_OK, ORDER } = slots.environment();
    assert.deepEqual([PROVING, B_OK, ORDER], ['', '0', 'A B']);
    await assert.rejects(panel.service.return(), { code: 'CONFLICT', message: /no version before/ });
  });

  test('should say why the panel itself took a version back that could not start', async () => {
    await using slots = await machine();
    await using panel = await updated(slots);
    // As build/image/overlay does it: the note, and the boot loader as after three cut boots.
    writeFileSync(join(slots.versions, 'taken-back'), 'B ends\n');
    assert.deepEqual([slots.boot(VERSIONS), slots.boot(VERSIONS), slots.boot(VERSIONS)], ['B', 'B', 'A']);
    await start(panel, slots);
    const { last } = panel.service.state();
    assert.deepEqual([last?.result, last?.reason], ['returned', 'The service ended by itself 3 times.']);
    // The next bundle begins without the note.
    await panel.driver.install(slots.bundle('1.1.0'), () => {});
    assert.equal(existsSync(join(slots.versions, 'taken-back')), false);
  });

  test('should tell a slot from the other one where both hold the same version', async () => {
    await using slots = await machine();
    await using panel = await updated(slots, '1.0.0');
    const same = { A: '1.0.0', B: '1.0.0' };
    await start(panel, slots);
    assert.equal(panel.service.state().state, 'proving');
    for (const expected of ['B', 'B', 'A'] as const) assert.equal(slots.boot(same), expected);
    await start(panel, slots);
    assert.equal(panel.service.state().state, 'idle');
    assert.equal(panel.service.state().last?.result, 'returned');
  });

  test('should go back by itself when the version does not prove itself, and never boot that slot again', async () => {
    await using slots = await machine();
    await using panel = await updated(slots);
    await start(panel, slots);
    panel.page = { state: 'blank', since: 'x' };
    await panel.clock.advance(15 * MINUTE + 1_000);
    await until(() => panel.service.state().state === 'restarting');
    await panel.clock.advance(1);
    await until(() => slots.reboots === 2);
    assert.equal(slots.boot(VERSIONS), 'A');
    assert.equal(slots.environment().B_OK, '0');
    await start(panel, slots);
    assert.match(panel.service.state().last!.reason!, /the page was blank/);
  });

  test('should return by hand from a good version, which stays whole in its slot', async () => {
    await using slots = await machine();
    await using panel = await updated(slots);
    await start(panel, slots);
    await panel.clock.advance(62_000);
    await until(() => panel.service.state().last?.result === 'good');
    assert.deepEqual(await panel.service.return(), { version: '1.0.0' });
    await panel.clock.advance(10_000);
    await until(() => slots.reboots === 2);
    assert.equal(slots.boot(VERSIONS), 'A');
    await start(panel, slots);
    assert.equal(panel.service.state().last?.result, 'returned');
    assert.equal(slots.environment().B_OK, '1');
    assert.equal(slots.boot(VERSIONS), 'A');
    await assert.rejects(panel.service.return(), { code: 'CONFLICT', message: /1\.1\.0 was taken back/ });
  });

  test('should wait for the next boot where that is wanted, or be taken back before it', async () => {
    await using slots = await machine();
    await using panel = panelOf(slots);
    await panel.start('1.0.0');
    await panel.install({ restart: false }, readFileSync(slots.bundle('1.1.0')));
    await start(panel, slots);
    assert.equal(panel.service.state().state, 'restarting');
    assert.deepEqual(await panel.service.return(), { version: '1.0.0' });
    assert.equal(slots.boot(VERSIONS), 'A');
    await start(panel, slots);
    await panel.install({ restart: false }, readFileSync(slots.bundle('1.1.0')));
    assert.equal(slots.reboots, 0);
    assert.equal(slots.boot(VERSIONS), 'B');
    await start(panel, slots);
    assert.equal(panel.service.state().state, 'proving');
  });

  test('should say so where a version that waits was booted three times without its service', async () => {
    await using slots = await machine();
    await using panel = panelOf(slots);
    await panel.start('1.0.0');
    await panel.install({ restart: false }, readFileSync(slots.bundle('1.1.0')));
    for (const expected of ['B', 'B', 'B', 'A'] as const) assert.equal(slots.boot(VERSIONS), expected);
    await start(panel, slots);
    assert.match(panel.service.state().last!.reason!, /cut off three times/);
  });

  test('should prove a version that the service knows nothing of, as after a reset of the panel', async () => {
    await using slots = await machine();
    await using panel = await updated(slots);
    rmSync(join(panel.dataDir, 'update.json'));
    await start(panel, slots);
    assert.equal(panel.service.state().state, 'proving');
    await panel.clock.advance(62_000);
    await until(() => panel.service.state().last?.result === 'good');
    assert.equal(slots.environment().PROVING, '');
  });

  test('should stay on what runs when RAUC fails, and say why', async () => {
    await using slots = await machine();
    await using panel = panelOf(slots);
    await panel.start('1.0.0');
    writeFileSync(join(slots.root, 'broken'), '');
    const bytes = readFileSync(slots.bundle('1.1.0'));
    await assert.rejects(panel.install({}, bytes), {
      code: 'UPDATE_FAILED',
      message: /No space left on device/,
    });
    assert.equal(panel.service.state().state, 'idle');
    const { ORDER, PROVING, B_OK } = slots.environment();
    assert.deepEqual([ORDER, PROVING, B_OK], ['A B', '', '0']);
    assert.equal(await panel.driver.before(), null);
  });

  test('should go on where the file of the boot loader was lost', async () => {
    await using slots = await machine();
    for (const lost of ['', 'x'.repeat(1_024), 'short']) {
      writeFileSync(slots.grubenv, lost);
      await slots.driver().install(slots.bundle('1.1.0'), () => {});
      const { ORDER, A_OK, PROVING } = slots.environment();
      assert.deepEqual([ORDER, A_OK, PROVING], ['B A', '1', 'B']);
    }
    // Without its partition a panel goes on as it is.
    rmSync(slots.grubenv);
    await using panel = panelOf(slots);
    await panel.start('1.0.0');
    assert.equal(panel.service.state().state, 'idle');
    await assert.rejects(panel.service.return(), { code: 'HARDWARE_ERROR' });
    const bytes = readFileSync(slots.bundle('1.1.0'));
    await assert.rejects(panel.install({}, bytes), { code: 'HARDWARE_ERROR' });
  });

  test('security: should judge the bundle once more before RAUC sees it, by keys that root alone writes', async () => {
    await using slots = await machine();
    const driver = slots.driver();
    const before = slots.environment();
    const refused = async (path: string, words: RegExp) => {
      await assert.rejects(
        driver.install(path, () => {}),
        { code: 'INVALID_REQUEST', message: words },
      );
      assert.deepEqual(slots.environment(), before);
    };
    await refused(slots.bundle('9.0.0', selfSigned('DNS:x')), /key that this panel does not know/);
    await refused(slots.bundle('9.0.0', slots.signer, 'faceplate-other'), /is for faceplate-other/);
    const path = slots.bundle('9.0.0');
    writeFileSync(path, 'no bundle');
    await refused(path, /is not signed/);
    rmSync(path, { force: true });
    symlinkSync('/etc/hostname', path);
    await refused(path, /no regular file/);
    assert.equal(existsSync('/etc/hostname'), true);
    const second = join(slots.root, 'second');
    linkSync(slots.bundle('9.0.0'), second);
    await refused(path, /no regular file/);
    await refused(join(slots.root, 'bundle.raucb'), /no place of a bundle/);
    mkdirSync(join(slots.update, 'deeper'));
    await refused(join(slots.update, 'deeper/bundle.raucb'), /no place of a bundle/);
    await assert.rejects(
      driver.install(path, () => {}),
      { code: 'NOT_FOUND' },
    );
  });

  test('security: should never write over the version before while the new one has no proof', async () => {
    await using slots = await machine();
    await slots.driver().install(slots.bundle('1.1.0'), () => {});
    slots.boot(VERSIONS);
    const before = slots.environment();
    await assert.rejects(
      slots.driver().install(slots.bundle('1.2.0'), () => {}),
      { code: 'CONFLICT' },
    );
    assert.deepEqual(slots.environment(), before);
  });

  test('security: should return to no slot that is empty, was taken back, or has no proof', async () => {
    await using slots = await machine();
    await assert.rejects(slots.driver().return(), { code: 'CONFLICT' });
    await slots.driver().install(slots.bundle('1.1.0'), () => {});
    await assert.rejects(slots.driver().return(), { code: 'CONFLICT' });
    await slots.driver().discard();
    await assert.rejects(slots.driver().return(), { code: 'CONFLICT' });
    assert.equal(slots.reboots, 0);
  });

  test('security: should take no version below the oldest one, and never lower it again', async () => {
    await using slots = await machine();
    const before = slots.environment();
    const refused = async (version: string, oldest: string) => {
      const bundle = slots.bundle(version);
      await assert.rejects(
        slots.driver().install(bundle, () => {}),
        {
          code: 'INVALID_REQUEST',
          message: `${version} is older than ${oldest}, the oldest version that this panel takes.`,
        },
      );
      assert.deepEqual(slots.environment(), before);
    };
    slots.oldest = '0.9.0';
    await refused('0.8.9', '0.9.0');
    assert.equal(await slots.driver().oldest(), '0.9.0');
    // The keys of another version, with a line of their own.
    slots.oldest = '0.0.0';
    slots.keys = `oldest-version: 0.9.5\n${slots.signer.cert}`;
    await refused('0.9.4', '0.9.5');
    slots.keys = slots.signer.cert;
    await refused('0.9.4', '0.9.5');
    await slots.driver().install(slots.bundle('0.9.5'), () => {});
  });

  test('security: should return to a version below the oldest only as long as the new one has no proof', async () => {
    await using slots = await machine();
    await slots.driver().install(slots.bundle('1.1.0'), () => {});
    assert.equal(slots.boot(VERSIONS), 'B');
    slots.oldest = '1.1.0';
    assert.equal(await slots.driver().before(), '1.0.0');
    await slots.driver().markGood();
    assert.equal(await slots.driver().before(), null);
    const proven = slots.environment();
    await assert.rejects(slots.driver().return(), { code: 'CONFLICT', message: /older than 1\.1\.0/ });
    assert.deepEqual(slots.environment(), proven);

    await using other = await machine();
    await other.driver().install(other.bundle('1.1.0'), () => {});
    assert.equal(other.boot(VERSIONS), 'B');
    other.oldest = '1.1.0';
    await other.driver().return();
    assert.equal(other.boot(VERSIONS), 'A');
    // What took itself back has said nothing.
    assert.equal(existsSync(join(other.versions, 'oldest-version')), false);
  });

  test('should do on an image what belongs to slots alone, and on a plain Debian what does not', async () => {
    await using slots = await machine();
    for (const verb of ['install-deb', 'update-begin'])
      assert.equal((await slots.ask({ verb, path: '/x.deb' })).code, 'UNSUPPORTED_HARDWARE');
    assert.equal((await slots.ask({ verb: 'update-good' })).code, 'UNSUPPORTED_HARDWARE');
    assert.equal(
      (await slots.ask({ verb: 'remove-deb', packageName: 'sample' })).code,
      'UNSUPPORTED_HARDWARE',
    );
    slots.running = null;
    for (const verb of ['slot-good', 'slot-return', 'slot-discard'])
      assert.equal((await slots.ask({ verb })).code, 'UNSUPPORTED_HARDWARE');
    assert.equal((await slots.ask({ verb: 'slot-good', path: '/x' })).code, 'INVALID_REQUEST');
    assert.equal((await slots.ask({ verb: 'slot-install' })).code, 'INVALID_REQUEST');
  });

  test('should leave what was taken from the boot partition without the bytes of the file', async () => {
    await using slots = await machine();
    const boot = join(slots.root, 'boot');
    const file = join(boot, 'faceplate.json');
    mkdirSync(boot);
    writeFileSync(file, '{"wifi":{"ssid":"House","password":"correct horse"}}');
    assert.deepEqual(await slots.ask({ verb: 'provision-refused', text: 'mistakes' }), {});
    assert.deepEqual(readdirSync(boot).sort(), ['faceplate.errors.txt', 'faceplate.json']);
    // Another name of the same bytes shows what is left of them.
    linkSync(file, join(slots.root, 'bytes'));
    assert.deepEqual(await slots.ask({ verb: 'provision-taken', text: '{"wifi":"…"}' }), {});
    assert.deepEqual(readdirSync(boot), ['faceplate.applied.json']);
    assert.match(readFileSync(join(slots.root, 'bytes'), 'utf8'), /^ +$/);
    assert.deepEqual(await slots.ask({ verb: 'provision-taken', text: '{}' }), {});
    assert.equal(readFileSync(join(boot, 'faceplate.applied.json'), 'utf8'), '{}');
  });

  test('should name the machine, and take no name that is none', async () => {
    await using slots = await machine();
    const ask = (text: unknown) => slots.ask({ verb: 'hostname', text });
    assert.deepEqual(await ask('panel-kitchen'), {});
    assert.equal(readFileSync(join(slots.root, 'hostname.chosen'), 'utf8'), 'panel-kitchen\n');
    for (const name of ['', '-a', 'a b', 'a.b', 'a\nb', 'x'.repeat(64), 7])
      assert.equal((await ask(name)).code, 'INVALID_REQUEST');
    assert.equal(slots.named, 1);
    slots.running = null;
    assert.equal((await ask('panel')).code, 'UNSUPPORTED_HARDWARE');
  });
});
