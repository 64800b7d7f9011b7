import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../../../platform/log.ts';
import { type KioskSession, makeKioskSession } from '../../../testing/kioskSession.ts';
import { timeToGoWrong, until } from '../../../testing/waiting.ts';
import { applicationFolders, type KioskUser, sessionEnvironment } from './environment.ts';
import { findApplications } from './find.ts';
import { Launcher } from './launch.ts';

/** Writes what it was started with, NUL between the parts, then waits for a file `end` beside its output. */
const REPORTER = `#!/bin/sh
out=$1; shift
{ printf '%s\\0' "$(id -u)" "$(id -G)" "$PWD" "$HOME" "\${FACEPLATE_TOKEN-none}" "$@"; } > "$out.part"
mv "$out.part" "$out"
while [ ! -e "$out.end" ]; do sleep 0.05; done
`;

describe('launching programs', () => {
  let session: KioskSession;
  let launcher: Launcher;
  let reporter: string;
  let ended: number;

  beforeEach(() => {
    session = makeKioskSession();
    reporter = session.write(join(session.root, 'reporter'), REPORTER, 0o755);
    launcher = makeLauncher(session.user);
    ended = 0;
  });

  afterEach(async () => {
    await launcher.stop();
  });

  function makeLauncher(user: KioskUser | undefined, environment: NodeJS.ProcessEnv = {}): Launcher {
    const service = { ...session.environment, FACEPLATE_TOKEN: 'secret', ...environment };
    return new Launcher({ session: sessionEnvironment(service, user), user, log: silentLogger() });
  }

  async function launch(keys: Readonly<Record<string, string>>, by = launcher): Promise<void> {
    session.entry(session.dataDir, 'app', keys);
    const environment = sessionEnvironment(session.environment, session.user);
    const found = (await findApplications(applicationFolders(environment), environment)).get('app');
    assert.ok(found, 'the entry is listed');
    await by.launch(found, () => {
      ended += 1;
    });
  }

  async function report(path: string): Promise<string[]> {
    await until(() => existsSync(path));
    return readFileSync(path, 'utf8').split('\0').slice(0, -1);
  }

  test('should start the program with its arguments, in the home, and report when it has ended', async () => {
    const out = join(session.home, 'out');
    await launch({ Name: 'My App', Exec: `${reporter} ${out} --title %c %U` });
    const [uid, , folder, home, token, ...args] = await report(out);
    assert.equal(uid, String(session.user?.uid ?? process.getuid?.()));
    assert.deepEqual([folder, home, token], [session.home, session.home, 'none']);
    assert.deepEqual(args, ['--title', 'My App']);
    assert.equal(ended, 0);
    session.write(`${out}.end`, '');
    await until(() => ended === 1);
  });

  test('security: should run shell metacharacters literally', async () => {
    const out = join(session.home, 'out');
    const trap = join(session.home, 'trap');
    const hostile = `; touch ${trap} && $(touch ${trap}) \`touch ${trap}\` | tee ${trap} > ${trap} $HOME *`;
    await launch({ Exec: `${reporter} ${out} ${hostile}` });
    const args = (await report(out)).slice(5);
    assert.deepEqual(args, hostile.split(' '));
    assert.equal(existsSync(trap), false);
  });

  test('security: should never run as root, and drop the groups of root', async (context) => {
    if (!session.user) return context.skip('needs root: without it there is no other user to become');
    const out = join(session.home, 'out');
    await launch({ Exec: `${reporter} ${out}` });
    assert.deepEqual((await report(out)).slice(0, 2), ['65534', '65534']);
    const root = { name: 'root', uid: 0, gid: 0, home: session.home };
    for (const user of [undefined, root]) {
      await assert.rejects(launch({ Exec: 'true' }, makeLauncher(user)), {
        code: 'HARDWARE_ERROR',
        message: /never run as root/,
      });
    }
  });

  test('should start in the folder of Path=, or in the home when that is missing', async () => {
    const [one, two] = [join(session.home, 'one'), join(session.home, 'two')];
    await launch({ Exec: `${reporter} ${one}`, Path: '/usr/share' });
    await launch({ Exec: `${reporter} ${two}`, Path: '/no/such/folder' });
    assert.equal((await report(one))[2], '/usr/share');
    assert.equal((await report(two))[2], session.home);
  });

  test('should open a terminal for a program that needs one', async () => {
    const out = join(session.home, 'out');
    const bin = join(session.root, 'bin');
    session.write(join(bin, 'x-terminal-emulator'), `#!/bin/sh\n"${reporter}" "${out}" "$@"\n`, 0o755);
    const withTerminal = makeLauncher(session.user, { PATH: `${bin}:/usr/bin:/bin` });
    try {
      await launch({ Exec: 'cat "a b"', Terminal: 'true' }, withTerminal);
      assert.deepEqual((await report(out)).slice(5), ['-e', '/usr/bin/cat', 'a b']);
    } finally {
      await withTerminal.stop();
    }
  });

  test('should say so when there is no terminal emulator', async () => {
    const bare = makeLauncher(session.user, { PATH: session.root });
    await assert.rejects(launch({ Exec: '/bin/cat', Terminal: 'true' }, bare), {
      code: 'HARDWARE_ERROR',
      message: /terminal emulator/,
    });
  });

  test('should answer HARDWARE_ERROR for a program that is missing or ends at once with an error', async () => {
    await assert.rejects(launch({ Exec: '/no/such/program' }), {
      code: 'HARDWARE_ERROR',
      message: /not there/,
    });
    await assert.rejects(launch({ Exec: 'false' }), { code: 'HARDWARE_ERROR', message: /exit status 1/ });
    const script = session.write(join(session.root, 'bad'), '#!/no/such/interpreter\n', 0o755);
    await assert.rejects(launch({ Exec: script }), { code: 'HARDWARE_ERROR' });
    assert.equal(ended, 0);
  });

  test('should follow a program whose starter ends at once', async () => {
    const out = join(session.home, 'out');
    const starter = session.write(join(session.root, 'starter'), `#!/bin/sh\n"$@" &\n`, 0o755);
    await launch({ Exec: `${starter} ${reporter} ${out}` });
    await report(out);
    await timeToGoWrong(400);
    assert.equal(ended, 0);
    session.write(`${out}.end`, '');
    await until(() => ended === 1);
  });

  test('should count a program that finishes at once as launched and ended', async () => {
    await launch({ Exec: 'true' });
    await until(() => ended === 1);
  });

  test('should end all programs on stop, even one that ignores signals, and be safe to stop twice', async () => {
    const [quiet, deaf] = [join(session.home, 'quiet'), join(session.home, 'deaf')];
    const stubborn = `#!/bin/sh\ntrap '' TERM\nexec "${reporter}" "$@"\n`;
    await launch({ Exec: `${reporter} ${quiet}` });
    await launch({ Exec: `${session.write(join(session.root, 'stubborn'), stubborn, 0o755)} ${deaf}` });
    await Promise.all([report(quiet), report(deaf)]);
    await launcher.stop();
    await until(() => ended === 2);
    await launcher.stop();
    await assert.rejects(launch({ Exec: 'true' }), { code: 'SHUTTING_DOWN' });
  });
});
