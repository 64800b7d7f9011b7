import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync } from 'node:fs';
import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { asUser, kioskUser } from '../../server/platform/privileges.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { letPass, until } from '../../server/testing/waiting.ts';
import { callApi, type Kiosk, openKiosk } from './bareBrowser.ts';

const LAUNCHER = '/usr/libexec/at-spi-bus-launcher';
const PYTHON = '/usr/bin/python3';
/** What a screen reader gets of all that is showing: role and name, line by line. */
const READ = `
import gi
gi.require_version('Atspi', '2.0')
from gi.repository import Atspi
seen = 0
def walk(node, depth):
    global seen
    seen += 1
    if depth > 40 or seen > 4000: return
    try:
        states = node.get_state_set()
        if depth > 1 and not states.contains(Atspi.StateType.SHOWING): return
        print(node.get_role_name() + '|' + (node.get_name() or ''))
        for at in range(node.get_child_count()):
            child = node.get_child_at_index(at)
            if child is not None: walk(child, depth + 1)
    except Exception: pass
desktop = Atspi.get_desktop(0)
for at in range(desktop.get_child_count()):
    app = desktop.get_child_at_index(at)
    if app is not None: walk(app, 0)
`;

const missing = [LAUNCHER, PYTHON, '/usr/bin/dbus-daemon'].filter((path) => {
  try {
    accessSync(path);
    return false;
  } catch {
    return true;
  }
});
const hasBindings = spawnSync(PYTHON, ['-c', "import gi; gi.require_version('Atspi', '2.0')"]).status === 0;
const lacks =
  noScreen ||
  ((missing.length > 0 || !hasBindings) && 'needs at-spi2-core, gir1.2-atspi-2.0, python3-gi and dbus');

/** A bus takes only its own user: here the one that the browser runs as. */
const user = process.getuid?.() === 0 ? kioskUser('nobody') : undefined;
const words = (program: string, args: readonly string[]) =>
  user ? asUser(user, program, args) : [program, ...args];

/** The bus of a session, with what screen readers need on it. */
class Session implements AsyncDisposable {
  readonly env: NodeJS.ProcessEnv;
  readonly #stack: AsyncDisposableStack;

  private constructor(env: NodeJS.ProcessEnv, stack: AsyncDisposableStack) {
    this.env = env;
    this.#stack = stack;
  }

  static async open(): Promise<Session> {
    await using stack = new AsyncDisposableStack();
    const folder = temporaryFolder('a11y');
    await chmod(folder, 0o700);
    if (user) await chown(folder, user.uid, user.gid);
    const address = `unix:path=${join(folder, 'bus')}`;
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_RUNTIME_DIR: folder,
      DBUS_SESSION_BUS_ADDRESS: address,
    };
    const run = (program: string, args: readonly string[]) => {
      const [first, ...rest] = words(program, args);
      const child = spawn(first!, rest, { env, stdio: 'ignore', cwd: '/', detached: true });
      stack.defer(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        process.kill(-child.pid!, 'SIGKILL');
        await once(child, 'exit');
      });
    };
    run('dbus-daemon', ['--session', '--nofork', '--nopidfile', `--address=${address}`]);
    await until(() => spawnSync('test', ['-S', join(folder, 'bus')]).status === 0, 'the bus of the session');
    run(LAUNCHER, ['--launch-immediately']);
    return new Session(env, stack.move());
  }

  /** Role and name of all that is showing. */
  read(): string[] {
    const [first, ...rest] = words(PYTHON, ['-c', READ]);
    const { stdout } = spawnSync(first!, rest, {
      env: this.env,
      cwd: '/',
      encoding: 'utf8',
      timeout: 30_000,
    });
    return stdout.split('\n').filter((line) => line !== '');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

const PAGE = `<html lang="en"><title>Panel</title><main><h1>Kitchen</h1><button aria-pressed="true">Light</button>
<input aria-label="Name of the room" style="position:absolute;left:40px;top:400px;width:500px;height:60px">
<button hidden>Never seen</button></main>`;
const SLOW = { limitMs: 60_000 };

describe('a screen reader', { skip: lacks }, () => {
  let session: Session;
  let kiosk: Kiosk;
  before(async () => {
    session = await Session.open();
    const { DBUS_SESSION_BUS_ADDRESS } = session.env;
    kiosk = await openKiosk({
      env: (site) => {
        site.files.set('/reader', { body: PAGE });
        return {
          DBUS_SESSION_BUS_ADDRESS: DBUS_SESSION_BUS_ADDRESS!,
          FACEPLATE_KIOSK_SCREEN_READER: 'true',
          FACEPLATE_KEYBOARD_ENABLED: 'true',
          FACEPLATE_APPROVAL_COMMANDS: 'led.color',
          FACEPLATE_KIOSK_URL: `${site.origin()}/reader`,
        };
      },
    });
  });
  after(async () => {
    await kiosk?.[Symbol.asyncDispose]();
    await session?.[Symbol.asyncDispose]();
  });

  const call = (method: string, path: string, body?: object) => callApi(kiosk.service, method, path, body);
  /** Waits until a reader gets all of these, and none of the others. */
  const reads = async (lines: readonly RegExp[], not: readonly RegExp[] = []) => {
    let last: string[] = [];
    await until(
      () => {
        last = session.read();
        return (
          lines.every((line) => last.some((one) => line.test(one))) &&
          !last.some((one) => not.some((line) => line.test(one)))
        );
      },
      `${lines} without ${not}`,
      SLOW,
    ).catch((error: Error) => {
      throw new Error(`${error.message}\n${last.join('\n')}`);
    });
  };

  test('should read the page, and nothing that is hidden in it or above it', async () => {
    await reads([/^heading\|Kitchen$/, /\|Light$/, /\|Name of the room$/], [/Never seen/, /\|q$/]);
  });

  test('should read a message and its buttons, until it is gone', async () => {
    const buttons = [{ id: 'close', label: 'Close the valve' }];
    await call('POST', 'remote/message', {
      id: 'a',
      title: 'Water',
      text: 'It leaks.',
      style: 'dialog',
      seconds: 0,
      buttons,
    });
    await reads([/^(?:alert|dialog).*\|Water$/, /\|It leaks\.$/, /^(?:push )?button\|Close the valve$/]);
    await call('DELETE', 'remote/message/a');
    await reads([/^heading\|Kitchen$/], [/It leaks/, /Close the valve/]);
  });

  test('should read who asks for what, with Deny and Allow', async () => {
    const asked = call('POST', 'remote/led/color', { red: 255, green: 10, blue: 0 });
    await reads([
      /\|Request from outside this panel$/,
      /\|#ff0a00$/,
      /^(?:push )?button\|Deny$/,
      /^(?:push )?button\|Allow$/,
    ]);
    // What is pressed within half a second was meant for something else.
    await letPass(1_000);
    await kiosk.screen.input('key Escape');
    assert.equal((await asked).status, 403);
    await reads([/^heading\|Kitchen$/], [/\|Deny$/]);
  });

  test('should read the keys while they are open, and none of them before and after', async () => {
    await kiosk.screen.input('mousemove 200 430 click 1');
    await reads([/^(?:push )?button\|q$/, /^(?:push )?button\|.*(?:Enter|Done|OK|Go)/i]);
    await kiosk.screen.input('mousemove 1000 100 click 1');
    await reads([/^heading\|Kitchen$/], [/^(?:push )?button\|q$/]);
  });

  test('security: should count the digits of a PIN and never say them', async () => {
    // Again where the keys had not come back to the page yet.
    await until(
      async () => {
        await kiosk.screen.input('mousemove 1000 100 click 1 key ctrl+alt+s');
        await letPass(2_000);
        return session.read().some((line) => line.endsWith('|Choose a PIN'));
      },
      'the settings',
      SLOW,
    );
    await reads([/\|Choose a PIN$/, /\|0 digits entered$/, /^(?:push )?button\|1$/]);
    for (const key of ['9', '7', '3']) await kiosk.screen.input(`key ${key}`);
    await reads([/\|3 digits entered$/], [/973/]);
  });
});
