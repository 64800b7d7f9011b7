import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { grubenv } from '../boot/grubenv.ts';

const PROOF = join(import.meta.dirname, '../overlay/usr/lib/faceplate-image/proof');
const CHOICE = { ORDER: 'B A', A_OK: '1', B_OK: '1', A_TRY: '0', B_TRY: '1' };

interface Seen {
  readonly said: string;
  readonly environment: string;
  readonly note: string | undefined;
  readonly hasRebooted: boolean;
}

/**
 * Runs the program beside a systemctl that says these states of the service one after the other, the last one for ever.
 * @param uptime seconds since the boot
 */
function watch(states: readonly string[], { proving = 'B', slot = 'B', uptime = 60, good = 0 } = {}): Seen {
  const folder = temporaryFolder('proof');
  const at = (name: string) => join(folder, name);
  writeFileSync(at('grubenv'), grubenv({ ...CHOICE, PROVING: proving }));
  writeFileSync(
    at('cmdline'),
    `BOOT_IMAGE=/vmlinuz root=PARTUUID=0f6c5a52-6c1e-4b7e-9d0a-2f0c00000003 ro rauc.slot=${slot} quiet\n`,
  );
  writeFileSync(at('uptime'), `${uptime}.25 12.5\n`);
  writeFileSync(at('states'), `${states.join('\n')}\n`);
  // The service proves itself with the look of this number, where there is one.
  const systemctl = `#!/bin/sh
cd ${folder}
if [ "$1" = reboot ]; then : >rebooted; exit; fi
echo >>looks
looks=$(wc -l <looks)
[ $looks = ${good} ] && sed -i s/^PROVING=.*/PROVING=/ grubenv
line=$(sed -n "\${looks}p" states)
printf '%s\\n' \${line:-$(tail -n 1 states)}
`;
  writeFileSync(at('systemctl'), systemctl, { mode: 0o755 });
  writeFileSync(at('sleep'), '#!/bin/sh\n', { mode: 0o755 });
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    GRUBENV: at('grubenv'),
    STATE: at('state'),
    CMDLINE: at('cmdline'),
    UPTIME: at('uptime'),
  };
  const said = execFileSync('sh', [PROOF], { env, encoding: 'utf8', timeout: 30_000, stdio: 'pipe' });
  const note = at('state/taken-back');
  return {
    said,
    environment: readFileSync(at('grubenv'), 'latin1'),
    note: existsSync(note) ? readFileSync(note, 'utf8') : undefined,
    hasRebooted: existsSync(at('rebooted')),
  };
}

const ended = (restarts: number) => `NRestarts=${restarts} Result=exit-code SubState=auto-restart`;
const RUNS = 'NRestarts=3 Result=success SubState=running';

describe('the way back from a version that has no proof', () => {
  test('should be taken when the service ended by itself three times', () => {
    // Each end is seen more than once.
    const states = [ended(0), ended(0), 'NRestarts=1 Result=success SubState=start', ended(1), ended(2)];
    const { environment, note, hasRebooted } = watch(states);
    assert.match(environment, /^B_TRY=3$/m);
    assert.match(environment, /^A_TRY=0$/m);
    assert.match(environment, /^PROVING=B$/m);
    assert.equal(environment.length, 1024);
    assert.equal(note, 'B ends\n');
    assert.equal(hasRebooted, true);
  });

  test('should be taken when nothing has proved itself a minute after the limit', () => {
    const { environment, note, hasRebooted } = watch([RUNS], { uptime: 961 });
    assert.match(environment, /^B_TRY=3$/m);
    assert.deepEqual([note, hasRebooted], ['B late\n', true]);
  });

  test('should not be taken for ends in order, nor once the version has proved itself', () => {
    const orderly = [0, 1, 2, 3, 4].map((n) => `NRestarts=${n} Result=success SubState=auto-restart`);
    const { environment, note, hasRebooted } = watch([...orderly, ended(5), ended(6), RUNS], { good: 9 });
    assert.match(environment, /^B_TRY=1$/m);
    assert.deepEqual([note, hasRebooted], [undefined, false]);
  });

  test('should not be taken from a proven version, whatever its service does', () => {
    for (const proving of ['', 'A']) {
      const { environment, hasRebooted } = watch([ended(9)], { proving, uptime: 9_999 });
      assert.match(environment, /^B_TRY=1$/m);
      assert.equal(hasRebooted, false);
    }
  });
});
