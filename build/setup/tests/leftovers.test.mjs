import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { letPass } from '../../../server/testing/waiting.ts';
import {
  leftFiles,
  leftProcesses,
  MAKERS_VARIABLE,
  makersOf,
  placeOfRun,
  RUN_VARIABLE,
} from './leftovers.mjs';

describe('leftovers of a test run', () => {
  let folder;
  const children = [];

  before(() => {
    folder = temporaryFolder('leftovers');
  });

  after(async () => {
    for (const child of children) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  async function startSleeper(options, args = []) {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)', '--', ...args], {
      stdio: 'ignore',
      ...options,
    });
    children.push(child);
    await once(child, 'spawn');
    return child.pid;
  }

  const pidsOf = (run) =>
    leftProcesses({ mark: 'none', folder: '/no/such/folder', sessions: new Set(), ...run }).map(
      ({ pid }) => pid,
    );

  it('should find a process by the mark in its environment', async () => {
    const pid = await startSleeper({ env: { ...process.env, [RUN_VARIABLE]: 'run-1' } });
    assert.ok(pidsOf({ mark: 'run-1' }).includes(pid));
    assert.ok(!pidsOf({ mark: 'run-2' }).includes(pid));
  });

  it('should find a process that only names the folder of the run', async () => {
    const pid = await startSleeper({ env: { PATH: process.env.PATH } }, [
      `--user-data-dir=${folder}/profile`,
    ]);
    assert.ok(pidsOf({ folder }).includes(pid));
  });

  it('should find a process of a session of the run', async () => {
    const pid = await startSleeper({ env: { PATH: process.env.PATH }, detached: true });
    assert.ok(pidsOf({ sessions: new Set([pid]) }).includes(pid));
  });

  it('should find files except those of the tools', () => {
    writeFileSync(join(folder, 'reports'), '');
    writeFileSync(join(folder, 'forgotten'), '');
    assert.deepEqual(leftFiles(folder, new Set(['reports'])), [join(folder, 'forgotten')]);
  });
});

describe('the temporary folder of a test', () => {
  const helper = JSON.stringify(join(import.meta.dirname, '../../../server/testing/temporaryFolder.ts'));

  /** Runs a program that makes a folder and ends as `end` says. @param {string} end */
  function run(end) {
    const makers = join(temporaryFolder('makers'), 'makers');
    const program = `
      import { writeFileSync } from 'node:fs';
      import { temporaryFolder } from ${helper};
      const folder = temporaryFolder('one');
      process.stdout.write(folder);
      const write = () => writeFileSync(folder + '/late', '');
      process.once('beforeExit', write);
      process.prependOnceListener('exit', write);
      ${end}`;
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...process.env, [MAKERS_VARIABLE]: makers },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return { folder: stdout, status, made: makersOf(makers)(stdout) };
  }

  it('should go at the end of the process with what is written last, and tell who made it', () => {
    const { folder, status, made } = run('');
    assert.match(folder, /faceplate-one-\w{6}$/);
    assert.deepEqual([existsSync(folder), status], [false, 0]);
    assert.match(made, /^ \(made by \S+:4\)$/);
  });

  it('should go after a fault, or when something ends the process', () => {
    for (const end of ["throw new Error('no');", 'setTimeout(() => {}, 60_000); process.exit(1);']) {
      const { folder, status } = run(end);
      assert.deepEqual([existsSync(folder), status], [false, 1]);
    }
  });
});

describe('the end of a test file', () => {
  it('should not come before a runner that is late has read the last report', async () => {
    const file = join(temporaryFolder('reports'), 'many.test.mjs');
    const count = 3_000;
    writeFileSync(
      file,
      `import { test } from 'node:test';
      for (let at = 0; at < ${count}; at++) test('report ' + at + ' ${'-'.repeat(100)}', () => {});`,
    );
    const child = spawn(
      process.execPath,
      [`--import=${join(import.meta.dirname, 'nothingLeft.mjs')}`, file],
      { env: { ...process.env, NODE_TEST_CONTEXT: 'child-v8' }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const ended = once(child, 'exit');
    // Longer than a file that leaves something gets for its reports.
    await letPass(2_500);
    let reports = '';
    for await (const bytes of child.stdout) reports += bytes.toString('latin1');
    assert.ok(reports.includes(`report ${count - 1} `));
    assert.deepEqual(await ended, [0, null]);
  });
});

describe('the place of a test run', () => {
  const MOUNTS = 'sysfs /sys sysfs rw,nosuid 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,nodev,size=4g 0 0\n';
  const LARGE = 16 * 1024 ** 3;
  const place = (machine) => placeOfRun({ mounts: MOUNTS, freeBytes: LARGE, env: {}, ...machine });

  it('should be in memory where there is enough of it', {
    skip: isSmall() && 'the memory here is small',
  }, () => {
    assert.equal(place({}), '/dev/shm');
  });

  it('should be the usual one on a small machine, without that file system, or where programs may not run', () => {
    assert.equal(place({ freeBytes: 3 * 1024 ** 3 }), tmpdir());
    assert.equal(place({ mounts: '' }), tmpdir());
    assert.equal(place({ mounts: MOUNTS.replace('nosuid,nodev', 'nosuid,noexec') }), tmpdir());
    assert.equal(place({ mounts: MOUNTS.replace('tmpfs rw', 'tmpfs ro') }), tmpdir());
  });

  it('should be the one that TMPDIR names', () => {
    assert.equal(place({ env: { TMPDIR: '/elsewhere' } }), tmpdir());
  });
});

function isSmall() {
  const { bavail, bsize } = existsSync('/dev/shm') ? statfsSync('/dev/shm') : { bavail: 0, bsize: 0 };
  return bavail * bsize < 2 * 1024 ** 3;
}
