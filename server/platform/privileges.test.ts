import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { asUser, maySwitchUser } from './privileges.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
/** What the unit of the Debian package grants; the last one only lets the test read its own sources. */
const GRANTED = ['setuid', 'setgid', 'kill', 'dac_read_search'].map((name) => `+${name}`).join(',');

/** Runs lines of a module in a process that is not root but has the capabilities. @returns what it prints, as JSON */
function runGranted(source: string): unknown {
  const identity = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  const capabilities = [`--inh-caps=-all,${GRANTED}`, `--ambient-caps=-all,${GRANTED}`, '--no-new-privs'];
  const program = `
    import { execFileSync } from 'node:child_process';
    import { asUser, maySwitchUser, withoutCapabilities } from ${JSON.stringify(import.meta.resolve('./privileges.ts'))};
    const run = ([program, ...args]) => execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' }).trim();
    ${source}`;
  const node = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const output = execFileSync('setpriv', [...identity, ...capabilities, process.execPath, ...node], {
    encoding: 'utf8',
    cwd: '/',
    env: {},
  });
  return JSON.parse(output);
}

describe('privileges', () => {
  test('should recognise a process that may switch users by its capabilities', () => {
    const folder = temporaryFolder('status');
    const status = (mask: string) => {
      writeFileSync(join(folder, 'status'), `Name:\tx\nCapPrm:\t0\nCapEff:\t${mask}\n`);
      return join(folder, 'status');
    };
    assert.equal(maySwitchUser(7, status('00000000000000e0')), true);
    assert.equal(maySwitchUser(7, status('0000000000000080')), false);
    assert.equal(maySwitchUser(7, status('0000000000000000')), false);
    assert.equal(maySwitchUser(0), true);
  });

  test('security: should run a program as another user without any capability, as root and by capabilities', {
    skip: !isRoot && 'needs root',
  }, () => {
    const daemon = { uid: 1, gid: 1 };
    const look = 'id -u; id -g; grep -E "^Cap(Inh|Prm|Eff|Amb)" /proc/self/status | cut -f2 | sort -u';
    const expected = '1\n1\n0000000000000000';
    const [program, ...args] = asUser(daemon, 'sh', ['-c', look]);
    assert.equal(execFileSync(program!, args, { encoding: 'utf8' }).trim(), expected);
    const granted = runGranted(
      `console.log(JSON.stringify([maySwitchUser(), run(asUser(${JSON.stringify(daemon)}, 'sh', ['-c', ${JSON.stringify(look)}]))]));`,
    );
    assert.deepEqual(granted, [true, expected]);
  });

  test('security: should pass none of its capabilities, and no way to root, to a command of the service', {
    skip: !isRoot && 'needs root',
  }, () => {
    const look = 'id -u; grep CapEff /proc/self/status | cut -f2; setpriv --reuid=0 true || echo refused';
    const outcome = runGranted(
      `console.log(JSON.stringify(run(withoutCapabilities('/bin/sh', ['-c', ${JSON.stringify(look)}]))));`,
    );
    assert.equal(outcome, `${NOBODY}\n0000000000000000\nrefused`);
  });
});
