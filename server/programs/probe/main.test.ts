import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadBoard } from '../../parts/boards/board.ts';
import { DeviceDouble, DOUBLE_MISSING, DoubleControl } from '../../testing/deviceDouble.ts';
import { FaceplateProcess } from '../../testing/faceplateProcess.ts';

/** Runs the program as a person would. */
function probe(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env: NodeJS.ProcessEnv = { ...process.env, ...environment };
  const program = join(import.meta.dirname, 'main.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the probe', () => {
  let folder: string;
  before(() => {
    // Never below /dev, where a run may have its temporary files: there the double looks for devices.
    folder = mkdtempSync('/var/tmp/faceplate-probe-');
  });
  after(() => rmSync(folder, { recursive: true }));

  test('should list this machine, and write a profile that the service takes; never over another file', async () => {
    const { status, stdout } = probe([]);
    assert.equal(status, 0);
    assert.match(stdout, /^Serial ports$/m);
    assert.ok(Array.isArray(JSON.parse(probe(['--json']).stdout).inputs));
    const path = join(folder, 'here.json');
    assert.equal(probe(['--profile', path]).status, 0);
    assert.equal((await loadBoard(path)).power?.driver, 'logind');
    assert.equal(probe(['--profile', '-']).stdout, readFileSync(path, 'utf8'));
    const again = probe(['--profile', path]);
    assert.deepEqual([again.status, again.stdout], [1, '']);
    assert.match(again.stderr, /was not written: EEXIST/);
  });

  test('should refuse words that it does not know', () => {
    for (const args of [['--strange'], ['word'], ['--json', '--profile', '-'], ['--profile']]) {
      const { status, stdout, stderr } = probe(args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.match(stderr, /^Usage: faceplate-probe/m);
    }
    assert.equal(probe(['--help']).status, 0);
  });

  test('should find the nodes of a panel without touching them, and write a profile that drives them', async (t) => {
    const double = await DeviceDouble.start();
    if (!double) return t.skip(DOUBLE_MISSING);
    const control = new DoubleControl(double.socket);
    const path = join(folder, 'panel.json');
    try {
      const { stdout } = probe([], double.environment);
      for (const line of ['/dev/gpio_control', '/sys/class/leds/rgb:status  green red blue', '/dev/ttyS9'])
        assert.ok(stdout.includes(`\n  ${line}`), stdout);
      assert.equal(probe(['--profile', path], double.environment).status, 0);
      assert.deepEqual(await control.takeCalls(), []);
      const env = {
        ...double.environment,
        FACEPLATE_DATA_DIR: folder,
        FACEPLATE_TOKEN: 'a-token-for-this-test',
        FACEPLATE_BOARD: path,
      };
      const panel = new FaceplateProcess({ env });
      await panel.start();
      try {
        const headers = { authorization: 'Bearer a-token-for-this-test' };
        const answer = await fetch(`${await panel.url}/api/remote/info`, { headers });
        const { parts } = (await answer.json()) as { parts: Record<string, { state: string }> };
        for (const part of ['gpio', 'led', 'rtc', 'serial:/dev/ttyS5', 'serial:/dev/ttyS9'])
          assert.equal(parts[part]?.state, 'real', part);
      } finally {
        await panel.stop();
      }
    } finally {
      control.close();
      await double.stop();
    }
  });
});
