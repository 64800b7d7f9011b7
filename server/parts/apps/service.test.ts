import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoError } from '../../platform/errno.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import type { AppEntry } from './contract.ts';
import { appsCommands } from './contract.ts';
import type { AppsDriver } from './driver.ts';
import { AppsService } from './service.ts';

const context = { signal: new AbortController().signal };
const log = silentLogger();

/** Packages that a test can change, and whose installations end when the test says so. */
class FakeApps implements AppsDriver {
  readonly name = 'fake';
  readonly path = null;
  readonly simulated = false;
  readonly calls: string[] = [];
  entries: AppEntry[] = [
    { packageName: 'b', label: 'Beta', isSystem: true },
    { packageName: 'a', label: 'Alpha', isSystem: false },
  ];
  fails: Error | undefined;
  gate: Promise<void> = Promise.resolve();
  readonly ends: (() => void)[] = [];
  changed: (() => void) | undefined;
  watches = 0;

  async start(): Promise<void> {
    this.calls.push('start');
  }

  async stop(): Promise<void> {
    this.calls.push('stop');
  }

  async list(): Promise<AppEntry[]> {
    if (this.fails) throw this.fails;
    return [...this.entries];
  }

  async launch(packageName: string, onEnded: () => void): Promise<void> {
    if (this.fails) throw this.fails;
    this.calls.push(`launch ${packageName}`);
    this.ends.push(onEnded);
  }

  async install(path: string): Promise<string> {
    this.calls.push(`install ${path}`);
    await this.gate;
    if (this.fails) throw this.fails;
    this.entries.push({ packageName: path, label: path, isSystem: false });
    this.calls.push(`installed ${path}`);
    return path;
  }

  async uninstall(packageName: string): Promise<void> {
    this.calls.push(`uninstall ${packageName}`);
    this.entries = this.entries.filter((entry) => entry.packageName !== packageName);
  }

  watch(onChange: () => void): () => void {
    this.watches += 1;
    this.changed = onChange;
    return () => {
      this.watches -= 1;
      this.changed = undefined;
    };
  }
}

describe('packages service', () => {
  let driver: FakeApps;
  let service: AppsService;
  let announced: string[][];
  let broughtBack: number;
  let clock: FakeClock;

  beforeEach(async () => {
    driver = new FakeApps();
    announced = [];
    broughtBack = 0;
    clock = new FakeClock();
    service = make(driver);
    await service.start();
  });

  function make(of: AppsDriver | null): AppsService {
    const events = new EventBus(log);
    events.onAny((name, payload) => {
      if (name === 'apps') announced.push((payload as AppEntry[]).map(({ packageName }) => packageName));
    });
    const onEnded = () => {
      broughtBack += 1;
    };
    return new AppsService({ driver: of, events, log, onEnded, clock });
  }

  test('should list packages by label, and have them for the snapshot of a new listener', async () => {
    const apps = [
      { packageName: 'a', label: 'Alpha', isSystem: false },
      { packageName: 'b', label: 'Beta', isSystem: true },
    ];
    assert.deepEqual(service.snapshot(), apps);
    const answer = await service.list();
    assert.deepEqual(answer, { apps });
    appsCommands['apps.list'].result.parse(answer);
    assert.deepEqual(announced, []);
  });

  test('should announce the list after it was changed, and not when it was not', async () => {
    assert.deepEqual(await service.install({ path: 'c' }, context), {
      status: 'installed',
      packageName: 'c',
    });
    assert.deepEqual(await service.uninstall({ packageName: 'a' }, context), { status: 'uninstalled' });
    await service.uninstall({ packageName: 'nobody' }, context);
    assert.deepEqual(announced, [
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
  });

  test('should announce changes that came from elsewhere once they have settled', async () => {
    driver.entries = [];
    driver.changed?.();
    driver.changed?.();
    await clock.advance(499);
    assert.deepEqual(announced, []);
    await clock.advance(1);
    assert.deepEqual(announced, [[]]);
  });

  test('should install and remove one at a time, in order', async () => {
    let open: () => void = () => undefined;
    driver.gate = new Promise((resolve) => {
      open = resolve;
    });
    const calls = [
      service.install({ path: 'x' }, context),
      service.uninstall({ packageName: 'x' }, context),
      service.install({ path: 'y' }, context),
    ];
    await new Promise(setImmediate);
    assert.deepEqual(driver.calls, ['start', 'install x']);
    open();
    await Promise.all(calls);
    assert.deepEqual(driver.calls.slice(1), [
      'install x',
      'installed x',
      'uninstall x',
      'install y',
      'installed y',
    ]);
  });

  test('should not install for a caller who left while waiting, but finish what has begun', async () => {
    let open: () => void = () => undefined;
    driver.gate = new Promise((resolve) => {
      open = resolve;
    });
    const gone = new AbortController();
    const begun = service.install({ path: 'x' }, { signal: gone.signal });
    const waiting = service.install({ path: 'y' }, { signal: gone.signal });
    await new Promise(setImmediate);
    gone.abort(new FaceplateError('REQUEST_TIMEOUT'));
    await assert.rejects(begun, { code: 'REQUEST_TIMEOUT' });
    await assert.rejects(waiting, { code: 'REQUEST_TIMEOUT' });
    open();
    await service.install({ path: 'z' }, context);
    assert.deepEqual(driver.calls.slice(1), ['install x', 'installed x', 'install z', 'installed z']);
  });

  test('should bring the kiosk back when the last launched package has ended', async () => {
    assert.deepEqual(await service.launch({ packageName: 'a' }), { status: 'launched' });
    await service.launch({ packageName: 'b' });
    driver.ends[0]?.();
    assert.equal(broughtBack, 0);
    driver.ends[1]?.();
    assert.equal(broughtBack, 1);
  });

  test('should not count a package that did not start', async () => {
    await service.launch({ packageName: 'a' });
    driver.fails = new FaceplateError('PACKAGE_NOT_FOUND');
    await assert.rejects(service.launch({ packageName: 'nobody' }), { code: 'PACKAGE_NOT_FOUND' });
    driver.ends[0]?.();
    assert.equal(broughtBack, 1);
  });

  test('should report a system failure in words and continue', async () => {
    driver.fails = errnoError('EIO', 'broken');
    for (const call of [service.list(), service.install({ path: 'x' }, context)]) {
      await assert.rejects(call, { code: 'HARDWARE_ERROR', message: /EIO/ });
    }
    driver.fails = undefined;
    assert.equal((await service.list()).apps.length, 2);
  });

  test('should report its part: real, simulated or absent', async () => {
    assert.deepEqual(service.part(), { driver: 'fake', path: null, state: 'real', reason: null });
    const none = make(null);
    await none.start();
    assert.equal(none.part().state, 'absent');
    assert.equal(none.snapshot(), undefined);
    await assert.rejects(none.list(), { code: 'UNSUPPORTED_HARDWARE' });
    await assert.rejects(none.launch({ packageName: 'a' }), { code: 'UNSUPPORTED_HARDWARE' });
    await none.stop();
  });

  test('should release everything on stop, even twice and before start', async () => {
    await service.launch({ packageName: 'a' });
    driver.changed?.();
    await service.stop();
    await service.stop();
    assert.equal(driver.watches, 0);
    assert.equal(clock.pending, 0);
    driver.ends[0]?.();
    assert.equal(broughtBack, 0);
    await assert.rejects(service.launch({ packageName: 'a' }), { code: 'SHUTTING_DOWN' });
    await make(new FakeApps()).stop();
  });
});
