import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { markReset } from '../platform/files/dataFolder.ts';
import { FaceplateProcess } from '../testing/faceplateProcess.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { until } from '../testing/waiting.ts';

describe('a browser that starts before the service is loaded', () => {
  let folder: string;
  let dataDir: string;
  let service: FaceplateProcess | undefined;
  /** Each start of the program that stands for the browser: its process, and what it was called with. */
  const starts = () =>
    [...readFileSync(join(folder, 'starts'), 'utf8').matchAll(/^(\d+) .*$/gm)].map(([args, pid]) => ({
      pid: Number(pid),
      args,
    }));
  const isAlive = ({ pid }: { pid: number }) => existsSync(`/proc/${pid}/stat`);
  const settings = (tree: object) => writeFileSync(join(dataDir, 'settings.json'), JSON.stringify(tree));

  beforeEach(() => {
    folder = temporaryFolder('ahead');
    dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    // Whoever the browser runs as writes here. It says nothing over its pipe, and ends with it.
    for (const path of [folder, dataDir]) chmodSync(path, 0o711);
    writeFileSync(join(folder, 'starts'), '', { mode: 0o666 });
    chmodSync(join(folder, 'starts'), 0o666);
    const program = `#!/bin/sh\necho "$$ $*" >>'${join(folder, 'starts')}'\nexec cat <&3 >/dev/null\n`;
    writeFileSync(join(folder, 'chromium'), program, { mode: 0o755 });
  });
  afterEach(async () => {
    await service?.stop('SIGKILL');
    await until(() => !starts().some(isAlive), 'the end of the browser');
  });

  const begin = async (env: Record<string, string> = {}, args: string[] = []) => {
    service = new FaceplateProcess({
      dataDir,
      args,
      env: { FACEPLATE_HOST: 'chromium', PATH: `${folder}:${process.env.PATH}`, ...env },
    });
    await service.launch();
    return service;
  };
  const listens = (one: FaceplateProcess) => one.line(/"http: listening"/);

  /** Loads the service only once the browser has written down its start: a service that fails ends it at once. */
  const afterTheBrowser = () => {
    const hold = join(folder, 'hold.mjs');
    writeFileSync(
      hold,
      `import { statSync } from 'node:fs';
      import { registerHooks } from 'node:module';
      const resolve = (specifier, context, next) => {
        while (specifier === './service.ts' && statSync(${JSON.stringify(join(folder, 'starts'))}).size === 0)
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
        return next(specifier, context);
      };
      registerHooks({ resolve });`,
    );
    return { NODE_OPTIONS: `--import=${hold}` };
  };

  test('should be the one that the service takes, with the origins of its page', async () => {
    const one = await begin({ FACEPLATE_KIOSK_URL: 'http://page.test/a' });
    await listens(one);
    await until(() => starts().length === 1, 'the browser');
    await one.line(/"service: starting"/);
    assert.equal(starts().length, 1);
    assert.ok(isAlive(starts()[0]!));
    const { profile } = JSON.parse(readFileSync(join(dataDir, 'chromium/Default/Preferences'), 'utf8'));
    assert.deepEqual(Object.keys(profile.content_settings.exceptions.cookies), ['*,http://page.test:80']);
  });

  test('should make way where the settings mean something else', async () => {
    // A text is no switch: it is taken back.
    settings({ kiosk: { headless: 'true' } });
    const one = await begin({ DISPLAY: ':77' });
    await one.line(/"service: starting"/);
    await until(() => starts().length === 2, 'the other browser');
    const [first, second] = starts();
    assert.match(first!.args, / --headless /);
    assert.ok(!/ --headless /.test(second!.args));
    assert.ok(!isAlive(first!) && isAlive(second!));
  });

  test('should not be left when the settings are refused, with the same sentence', async () => {
    const one = await begin(afterTheBrowser(), ['--http.port', 'many']);
    assert.deepEqual(await one.ended(), { code: 1, signal: null });
    assert.match(one.output, /^faceplate: The settings have a mistake:\n- flag --http\.port: /);
    assert.equal(starts().length, 1);
    await until(() => !isAlive(starts()[0]!), 'the end of the browser');
  });

  test('should not be left when the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const one = await begin({ ...afterTheBrowser(), FACEPLATE_HTTP_PORT: String(port) });
    assert.deepEqual(await one.ended(), { code: 1, signal: null });
    other.close();
    assert.match(one.output, /^faceplate: Port \d+ is in use by another program\./m);
    await until(() => !isAlive(starts()[0]!), 'the end of the browser');
  });

  const waits: Record<string, [env: Record<string, string>, args: string[], tree: object]> = {
    'a flag adds switches': [{}, ['--kiosk.browserArguments', '["--no-sandbox"]'], {}],
    'settings.json adds switches': [{}, [], { kiosk: { browserArguments: ['--no-sandbox'] } }],
    'a whole key of settings.json adds switches': [{}, [], { 'kiosk.browserArguments': ['--no-sandbox'] }],
    'the environment opens a port': [{ FACEPLATE_KIOSK_DEBUG_PORT: '9222' }, [], {}],
    'no page is shown': [{ FACEPLATE_HOST: 'none' }, [], {}],
    'a flag says that no page is shown': [{}, ['--host=none'], {}],
    'the version is asked for': [{}, ['--version'], {}],
  };
  for (const [what, [env, args, tree]] of Object.entries(waits))
    test(`security: should wait for the settings where ${what}`, async () => {
      settings(tree);
      // A mistake ends the start before the settings could start one.
      const one = await begin(env, [...args, ...(args[0] === '--version' ? [] : ['--http.port', 'many'])]);
      await one.ended();
      assert.equal(starts().length, 0);
    });

  test('should wait where a reset is to be finished, and where another service has the folder', async () => {
    await markReset(dataDir, {});
    await (await begin({}, ['--http.port', 'many'])).ended();
    assert.equal(starts().length, 0);
    const first = await begin({ FACEPLATE_HOST: 'none' });
    await listens(first);
    const second = new FaceplateProcess({
      dataDir,
      args: ['--http.port', 'many'],
      env: { FACEPLATE_HOST: 'chromium', PATH: `${folder}:${process.env.PATH}` },
    });
    await second.launch();
    await second.ended();
    assert.equal(starts().length, 0);
  });
});
