import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { until } from '../../server/testing/waiting.ts';
import { zipFile } from '../../server/testing/zipFile.ts';
import { CliProcess } from '../testing/cliProcess.ts';
import { runCommandLine } from './commandLine.ts';
import { plain } from './terminal.ts';

const CONTAINER_TYPES = join(import.meta.dirname, '../../preload/container.d.ts');
/** What it says every two seconds while a step lasts: each step may, on a busy machine. */
const STILL = /^.+ … \d+ s\n/gm;

describe('the command line', () => {
  const one = new FaceplateProcess({ args: ['--device.name', 'Lobby 1'] });
  const two = new FaceplateProcess({ args: ['--device.name', 'kitchen'] });
  const folder = temporaryFolder('cli');
  const urls: string[] = [];
  const tokens: string[] = [];

  before(async () => {
    for (const panel of [one, two]) {
      await panel.start();
      urls.push(await panel.url);
      tokens.push(await panel.token());
    }
  });
  after(async () => {
    await Promise.all([one.stop(), two.stop()]);
  });

  /** Runs it with its own config folder. */
  function run(args: readonly string[], env: Record<string, string> = {}, input = '') {
    return new CliProcess(args, {
      env: { XDG_CONFIG_HOME: join(folder, 'config'), ...env },
      cwd: folder,
      input,
    });
  }
  async function ends(...given: Parameters<typeof run>) {
    const { code, stdout, stderr } = await run(...given).ended();
    return { code, stdout, stderr: stderr.replaceAll(STILL, '') };
  }
  /** Runs it within this process, where its words and its exit code count and not how they leave a process. */
  async function says(args: readonly string[], env: Record<string, string> = {}) {
    let [stdout, stderr] = ['', ''];
    const code = await runCommandLine(args, {
      out: (text) => {
        stdout += text;
      },
      err: (line) => {
        stderr += `${plain(line)}\n`;
      },
      readLine: async () => undefined,
      env: { XDG_CONFIG_HOME: join(folder, 'config'), ...env },
      signal: new AbortController().signal,
    });
    return { code, stdout, stderr: stderr.replaceAll(STILL, '') };
  }
  const first = () => ({ FACEPLATE_PANEL: urls[0]!, FACEPLATE_TOKEN: tokens[0]! });

  it('should call a command with JSON and text, and print the answer', async () => {
    const changed = await ends(['call', 'led.color', 'red=1', 'green=2', 'blue=3'], first());
    assert.deepEqual([changed.code, changed.stderr], [0, '']);
    const state = await ends(['call', 'led.state', '--json'], first());
    assert.match(state.stdout, /^\{.*\}\n$/);
    assert.deepEqual(JSON.parse(state.stdout).state, { on: false, red: 1, green: 2, blue: 3 });
    assert.ok((await ends(['call', 'led.state'], first())).stdout.split('\n').length > 3);
    // A point goes one level down, and a number is text where text is meant.
    const name = await ends(['call', 'settings.change', 'kiosk.parameters=a=1', '--json'], first());
    assert.equal(name.code, 0, name.stderr);
    const token = await ends(['call', 'token.create', 'name=7', 'scopes=["view"]', '--json'], first());
    assert.equal(JSON.parse(token.stdout).name, '7');
  });

  it('should take panel and token from options before the environment', async () => {
    const env = { FACEPLATE_PANEL: '127.0.0.1:9', FACEPLATE_TOKEN: 'wrong' };
    const args = ['--panel', urls[0]!.slice('http://'.length), '--token', tokens[0]!];
    assert.equal((await ends(['call', 'led.state', ...args], env)).code, 0);
  });

  it('should say what went wrong, with an exit code for each kind', async () => {
    const seen = new Set<number>();
    for (const [args, code, words] of [
      [['call', 'led.color', 'red=300', 'green=0', 'blue=0'], 1, /^INVALID_REQUEST: .*red.*\n$/],
      [['call', 'kiosk.screenshot'], 1, /^UNSUPPORTED_HARDWARE: .+\n$/],
      [['call', 'led.state', '--token', 'wrong'], 1, /^UNAUTHORIZED: .+\n$/],
      [['call', 'led.state', '--panel', '127.0.0.1:9'], 3, /^UNREACHABLE: .+\n$/],
      [['call', 'led.state', '--panel', 'no-such-panel.invalid'], 3, /^UNREACHABLE: .+\n$/],
      [['log', '--panel', '127.0.0.1:9'], 3, /^UNREACHABLE: .+\n$/],
      [[], 2, /^USAGE: /],
      [['fly'], 2, /^USAGE: There is no "fly"/],
      [['call'], 2, /^USAGE: /],
      [['call', 'led.fly'], 2, /^USAGE: .*led\.state/],
      [['call', 'led.state', 'x=1'], 2, /^USAGE: .*no field "x"/],
      [['call', 'led.color', 'red'], 2, /^USAGE: .*no key=value/],
      [['call', 'led.color', 'red=1'], 2, /^USAGE: .*needs green/],
      [['call', 'led.state', '--fly'], 2, /^USAGE: .*--fly/],
      [['call', 'led.state', '--watch'], 2, /^USAGE: .*--watch is no option of call/],
      [['call', 'projects.remove', 'id='], 2, /^USAGE: .*needs id/],
      [['call', 'backup.restore', 'body=/no/such/file'], 2, /^USAGE: .*cannot be read/],
      [['log', '--level', 'loud'], 2, /^USAGE: .*--level/],
      [['push', '/no/such/folder'], 2, /^USAGE: /],
      [['push', folder], 2, /^USAGE: .*no index\.html/],
      [['rollout', 'led.on', '--ids', 'a'], 2, /^USAGE: /],
      [['rollout', 'settings.change'], 2, /^USAGE: .*--groups or --ids/],
      [['rollout', 'settings.change', '--ids', 'a', '--canary', 'x'], 2, /^USAGE: .*--canary/],
      [['rollout', 'settings.change', 'kiosk.url=http://a', '--ids', 'a'], 1, /^UNSUPPORTED_HARDWARE: /],
      [['panels', '--panel', 'all'], 2, /^USAGE: .*login/],
      [['completion', 'tcsh'], 2, /^USAGE: /],
      [['login', '123'], 2, /^USAGE: .*8 digits/],
      [['login', '12345678'], 1, /^UNAUTHORIZED: /],
    ] as const) {
      // One of each kind in a process of its own.
      const ended = await (seen.has(code) ? says : ends)(args, first());
      seen.add(code);
      assert.deepEqual([ended.code, ended.stdout], [code, ''], args.join(' '));
      assert.match(ended.stderr, words);
    }
  });

  it('should help from the contract', async () => {
    for (const [args, words] of [
      [['--help'], /panels .*\n.*call <command>/s],
      [['call', '--help'], /display\.set +Switch the light/],
      [['call', 'display.set', '--help'], /brightness= +integer 0\.\.100/],
      [['call', 'projects.fetch', '--help'], /sha256= +text, needed/],
      [['push', '--help'], /--watch +go on/],
      [['--version'], /^\d+\.\d+\.\d+\n$/],
    ] as const) {
      const { code, stdout, stderr } = await says(args);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, words);
    }
  });

  it('should log in with a pairing code, keep the token to oneself, and know the panel by its name', async () => {
    const paths = {
      config: join(folder, 'config/faceplate'),
      file: join(folder, 'config/faceplate/panels.json'),
    };
    for (const [at, panel] of [
      [0, 'Lobby 1'],
      [1, 'kitchen'],
    ] as const) {
      const env = { FACEPLATE_PANEL: urls[at]!, FACEPLATE_TOKEN: tokens[at]! };
      const { code } = JSON.parse((await ends(['call', 'pairing.start', '--json'], env)).stdout);
      const { FACEPLATE_PANEL } = env;
      // The second one is typed in, in two groups.
      const typed = at === 0 ? [[code], ''] : [[], `${code.slice(0, 4)} ${code.slice(4)}\n`];
      const login = await ends(
        ['login', ...(typed[0] as string[]), '--json'],
        { FACEPLATE_PANEL },
        typed[1] as string,
      );
      assert.equal(login.code, 0, login.stderr);
      assert.equal(JSON.parse(login.stdout).name, panel);
      assert.ok(!login.stdout.includes('token'));
    }
    assert.equal(statSync(paths.file).mode & 0o777, 0o600);
    assert.equal(statSync(paths.config).mode & 0o777, 0o700);
    const kept = JSON.parse(readFileSync(paths.file, 'utf8')).panels as { token: string }[];
    assert.equal(kept.length, 2);
    assert.ok(kept.every(({ token }) => !tokens.includes(token)));
    assert.equal((await ends(['--panel', 'KITCHEN', 'call', 'led.state'])).code, 0);
    assert.equal((await ends(['--panel', urls[0]!, 'call', 'led.state'])).code, 0);
    const listed = JSON.parse((await ends(['panels', '--json'])).stdout) as Record<string, unknown>[];
    assert.deepEqual(
      listed.map(({ name, address, online, login }) => ({ name, address, online, login })),
      [
        { name: 'Lobby 1', address: urls[0], online: true, login: true },
        { name: 'kitchen', address: urls[1], online: true, login: true },
      ],
    );
  });

  it('should ask several panels at once, with their names in front of each line', async () => {
    const all = await ends(['--panel', 'all', 'call', 'led.state', '--json']);
    const lines = all.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ panel }) => panel).sort(), ['Lobby 1', 'kitchen']);
    assert.ok(lines.every(({ answer }) => answer.status === 'ok'));
    const words = await ends(['--panel', 'all', 'call', 'led.state']);
    assert.ok(
      words.stdout
        .trim()
        .split('\n')
        .every((line) => /^(?:Lobby 1|kitchen): /.test(line)),
    );
    // One that is away, one that refuses: both are said, the greatest code counts.
    const args = ['--panel', 'kitchen', '--panel', '127.0.0.1:9', 'call', 'projects.remove', 'id=none'];
    const mixed = await ends([...args, '--json']);
    const errors = mixed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(errors.map(({ panel, code }) => [panel, code]).sort(), [
      ['127.0.0.1:9', 'UNREACHABLE'],
      ['kitchen', 'PROJECT_NOT_FOUND'],
    ]);
    assert.equal(mixed.code, 3);
    assert.match((await ends(args)).stderr, /^kitchen: PROJECT_NOT_FOUND: /m);
  });

  it('security: should send a kept token to its own panel alone', async () => {
    const asked: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      asked.push(request);
      response.writeHead(302, { location: `${urls[0]}/api/remote/led/state` }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const ended = await ends(['--panel', `127.0.0.1:${port}`, 'call', 'led.state']);
      assert.equal(ended.code, 3);
      assert.equal(asked.length, 1);
      assert.equal(asked[0]!.headers.authorization, undefined);
    } finally {
      server.close();
    }
  });

  it('should use the token of the panel on this machine, and never print it', async () => {
    const args = ['call', 'led.color', 'red=255', 'green=120', 'blue=0'];
    const { port } = new URL(urls[0]!);
    const noLogins = { XDG_CONFIG_HOME: join(folder, 'no logins') };
    const env = { ...noLogins, FACEPLATE_PANEL: `localhost:${port}`, FACEPLATE_DATA_DIR: one.dataDir };
    const done = await ends(args, env);
    assert.deepEqual([done.code, done.stderr], [0, '']);
    assert.ok(!done.stdout.includes(tokens[0]!));
    // The folder that npm start uses by itself.
    mkdirSync(join(folder, 'state'));
    symlinkSync(one.dataDir, join(folder, 'state/faceplate'));
    const usual = { ...noLogins, FACEPLATE_PANEL: urls[0]!, XDG_STATE_HOME: join(folder, 'state') };
    assert.equal((await ends(args, usual)).code, 0);
    // Nothing is known: the way in is said.
    const words = `UNAUTHORIZED: Not logged in to 127.0.0.1. Run: faceplate login 12345678 --panel 127.0.0.1:${port}, with the pairing code that the panel shows under Settings.\n`;
    const stranger = await says(args, { ...usual, XDG_STATE_HOME: folder });
    assert.deepEqual([stranger.code, stranger.stderr], [1, words]);
    // The token of another panel on this machine is none of this one.
    const other = await says(args, { ...usual, FACEPLATE_DATA_DIR: two.dataDir });
    assert.deepEqual([other.code, other.stderr], [1, words]);
  });

  it('security: should give the local token to no other program, name or file', async () => {
    const given: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      given.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as AddressInfo;
    const dataDir = join(folder, 'own');
    const file = join(dataDir, 'token');
    mkdirSync(dataDir);
    const write = (mode: number) => {
      rmSync(file, { force: true });
      writeFileSync(file, 'secret\n', { mode });
    };
    const runs = (text: string) => writeFileSync(join(dataDir, 'running'), `${text}\n`);
    const tokenAt = async (host: string) => {
      given.length = 0;
      await says(['call', 'led.state'], { FACEPLATE_PANEL: `${host}:${port}`, FACEPLATE_DATA_DIR: dataDir });
      return given.at(-1);
    };
    const stat = readFileSync(`/proc/${process.pid}/stat`, 'utf8');
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    try {
      write(0o600);
      runs(`${process.pid} ${started} boot`);
      for (const host of ['127.0.0.1', 'localhost', '127.0.0.2'])
        assert.equal(await tokenAt(host), 'Bearer secret', host);
      // A name that only leads here, as a name of another machine may.
      assert.equal(await tokenAt('panel.localhost'), undefined);
      // The panel of the folder does not run, or is another program than the one at the port.
      for (const text of [`${process.pid} ${Number(started) - 1} boot`, `${one.pid} 1 boot`, '']) {
        runs(text);
        assert.equal(await tokenAt('127.0.0.1'), undefined, text);
      }
      runs(`${process.pid} ${started} boot`);
      write(0o644);
      assert.equal(await tokenAt('127.0.0.1'), undefined);
      rmSync(file);
      writeFileSync(join(dataDir, 'elsewhere'), 'secret\n', { mode: 0o600 });
      symlinkSync('elsewhere', file);
      assert.equal(await tokenAt('127.0.0.1'), undefined);
    } finally {
      server.close();
    }
  });

  it('should follow the log until Ctrl+C', async () => {
    const log = run(['log', '--json', '--level', 'info'], first());
    await until(() => log.stdout.includes('"msg"'));
    log.interrupt();
    const { code, stdout } = await log.ended();
    assert.equal(code, 0);
    for (const line of stdout.trim().split('\n')) assert.ok(JSON.parse(line).time);
  });

  it('should go on following a panel that comes back, and not say things twice', async () => {
    const line = (text: string) =>
      `event: log\ndata: {"time":"${text}","level":"info","msg":"at ${text}"}\n\n`;
    let count = 0;
    const server = createServer((_request, response) => {
      count++;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (count === 1) response.write(line('2026-01-01'), () => response.destroy());
      else response.write(line('2026-01-01') + line('2026-01-02'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const log = run(['log', '--panel', `127.0.0.1:${(server.address() as AddressInfo).port}`]);
    try {
      await until(() => log.stdout.includes('at 2026-01-02'));
    } finally {
      log.interrupt();
      await log.ended();
      server.closeAllConnections();
      server.close();
    }
    assert.equal(log.stdout.match(/at 2026-01-01/g)?.length, 1);
    assert.match(log.stderr, /away.*\n.*back/);
  });

  it('should make a project, push it, and push again what is there', async () => {
    const made = await ends(['create', 'My Page', '--json']);
    assert.deepEqual(JSON.parse(made.stdout).files, [
      'container.d.ts',
      'index.html',
      'jsconfig.json',
      'main.js',
      'style.css',
    ]);
    assert.equal((await ends(['create', 'My Page'])).code, 2);
    mkdirSync(join(folder, 'My Page/.git'));
    mkdirSync(join(folder, 'My Page/node_modules'));
    writeFileSync(join(folder, 'My Page/.git/config'), 'hidden');
    writeFileSync(join(folder, 'My Page/node_modules/x.js'), 'hidden');
    symlinkSync('..', join(folder, 'My Page/circle'));
    for (const expected of ['5 files', '5 files']) {
      const { code, stdout, stderr } = await ends(['push', 'My Page'], first());
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, new RegExp(`^my-page shown: ${expected}, \\d+ KiB, \\d+ ms\n$`));
    }
    const { stdout } = await ends(['call', 'projects.list', '--json'], first());
    const [project] = JSON.parse(stdout).projects;
    assert.deepEqual([project.id, project.name, project.active], ['my-page', 'My Page', true]);
  });

  it('should make projects with a build tool, their versions pinned and their types in them', async () => {
    for (const [template, files, built] of [
      ['vite', ['main.ts', 'style.css'], ['@faceplate/types', 'typescript', 'vite']],
      [
        'react',
        ['App.tsx', 'main.tsx', 'style.css'],
        [
          '@faceplate/types',
          '@types/react',
          '@types/react-dom',
          '@vitejs/plugin-react',
          'react',
          'react-dom',
          'typescript',
          'vite',
        ],
      ],
    ] as const) {
      const project = join(folder, `Möbel ${template}`);
      const { code, stdout, stderr } = await says(['create', project, '--template', template]);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /\nNow: cd .* && npm install && npm run dev\n$/);
      assert.deepEqual(readdirSync(join(project, 'src')).sort(), files);
      const read = (path: string) => readFileSync(join(project, path), 'utf8');
      const { name, dependencies, devDependencies, config } = JSON.parse(read('package.json'));
      assert.equal(name, `mobel-${template}`);
      assert.ok(statSync(join(project, config.faceplate)).isFile());
      const { '@faceplate/types': types, ...pinned } = { ...dependencies, ...devDependencies };
      assert.deepEqual(Object.keys({ ...pinned, '@faceplate/types': types }).sort(), built);
      for (const version of Object.values(pinned)) assert.match(String(version), /^\d+\.\d+\.\d+$/);
      assert.equal(types, 'file:faceplate-types');
      assert.match(read('faceplate-types/index.d.ts'), /function requireContainer\(\): Container/);
      assert.equal(read('faceplate-types/container.d.ts'), readFileSync(CONTAINER_TYPES, 'utf8'));
      assert.match(read('index.html'), /<link rel="icon" href="data:,">/);
    }
    const other = await says(['create', join(folder, 'vue'), '--template', 'vue']);
    assert.deepEqual(
      [other.code, other.stderr],
      [2, 'USAGE: --template is plain, vite, react, not "vue".\n'],
    );
  });

  it('should push under the name that the project has, and again under the one that the panel knows', async () => {
    const page = (path: string, files: Record<string, string> = {}) => {
      mkdirSync(join(folder, path), { recursive: true });
      for (const [name, text] of Object.entries({ 'index.html': path, ...files }))
        writeFileSync(join(folder, path, name), text);
    };
    page('site/dist');
    page('built/dist');
    writeFileSync(join(folder, 'built/package.json'), '{"name":"@acme/hall-page"}');
    page('named', { 'faceplate.json': '{"name":"The Lobby"}' });
    page('Kitchen/build');
    page('hall page', { 'package.json': '{"private":true}' });
    page('other');
    for (const [path, given, id, name] of [
      ['site/dist', [], 'site', 'site'],
      ['built/dist', [], 'hall-page', 'hall-page'],
      // The same id: an update of what is there, also where the name is spelled in another way.
      ['hall page', [], 'hall-page', 'hall-page'],
      ['other', ['--name', 'HALL Page'], 'hall-page', 'hall-page'],
      ['named', [], 'the-lobby', 'The Lobby'],
      ['other', ['--name', 'the lobby'], 'the-lobby', 'The Lobby'],
      ['Kitchen/build', [], 'kitchen', 'Kitchen'],
      ['named', ['--name', 'Étage 1'], 'etage-1', 'Étage 1'],
    ] as const) {
      const { code, stdout, stderr } = await says(['push', join(folder, path), ...given, '--json'], first());
      assert.deepEqual([code, stderr], [0, ''], path);
      const done = JSON.parse(stdout);
      assert.deepEqual([done.id, done.name], [id, name], path);
    }
    // Without a folder: what the build tool made, else the folder that one is in.
    for (const [cwd, id] of [
      ['site', 'site'],
      ['other', 'other'],
    ] as const) {
      const cli = new CliProcess(['push'], {
        env: { XDG_CONFIG_HOME: join(folder, 'config'), ...first() },
        cwd: join(folder, cwd),
      });
      assert.match((await cli.ended()).stdout, new RegExp(`^${id} shown: 1 file,`));
    }
    writeFileSync(join(folder, 'named/package.json'), '{');
    assert.match(
      (await says(['push', join(folder, 'named')], first())).stderr,
      /^USAGE: .*package\.json is no JSON/,
    );
  });

  it('should have a panel fetch a project, and tell what did not arrive', async () => {
    const archive = zipFile([{ name: 'index.html', content: 'fetched' }]);
    const server = createServer((request, response) =>
      request.url === '/p.zip' ? response.end(archive) : response.writeHead(404).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const digest = createHash('sha256').update(archive).digest('hex');
    const fetches = (url: string, sha256 = digest) =>
      ends(['call', 'projects.fetch', 'name=Fetched', `url=${url}`, `sha256=${sha256}`, '--json'], first());
    try {
      for (const [url, sha256, words] of [
        [`${base}/gone.zip`, digest, /^UPDATE_FAILED: .*404/],
        [`${base}/p.zip`, '0'.repeat(64), /^INVALID_REQUEST: .*SHA-256/],
        [`${urls[0]}/healthz`, digest, /^UPDATE_FAILED: .*own server/],
      ] as const) {
        const failed = await fetches(url, sha256);
        assert.equal(failed.code, 1);
        assert.match(failed.stderr, words);
      }
      const done = await fetches(`${base}/p.zip`);
      assert.deepEqual(JSON.parse(done.stdout), { id: 'fetched', name: 'Fetched', active: true });
    } finally {
      server.close();
    }
  });

  it('should push changes alone while it watches, and all where the panel has another version', async () => {
    const page = join(folder, 'watched');
    mkdirSync(join(page, 'deep'), { recursive: true });
    for (const name of ['index.html', 'deep/a.js', 'b.js']) writeFileSync(join(page, name), name);
    const watching = run(['push', 'watched', '--watch', '--json'], first());
    const done = () =>
      watching.stdout
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const next = async (count: number, what: string) => {
      await until(() => done().length === count, `${what}: ${watching.stdout}${watching.stderr}`);
      return done().at(-1);
    };
    try {
      assert.equal((await next(1, 'the first push')).files, 3);
      writeFileSync(join(page, 'deep/a.js'), 'changed');
      assert.equal((await next(2, 'a change')).files, 1);
      rmSync(join(page, 'b.js'));
      assert.equal((await next(3, 'a removal')).files, 1);
      const other = await ends(['call', 'projects.rollback', 'id=watched'], first());
      assert.equal(other.code, 0, other.stderr);
      writeFileSync(join(page, 'new.js'), 'new');
      assert.equal((await next(4, 'all again')).files, 3);
      // Without its page the folder is no project: nothing is sent until it is there again.
      rmSync(join(page, 'index.html'));
      writeFileSync(join(page, 'new.js'), 'newer');
      writeFileSync(join(page, 'index.html'), 'index.html');
      assert.equal((await next(5, 'after a build')).files, 1);
    } finally {
      watching.interrupt();
    }
    assert.equal((await watching.ended()).code, 0);
  });

  it('should complete words in bash', async () => {
    const { stdout, code } = await ends(['completion', 'bash']);
    assert.equal(code, 0);
    writeFileSync(join(folder, 'completion.bash'), stdout);
    const complete = (...words: string[]) =>
      execFileSync(
        'bash',
        [
          '-c',
          `source completion.bash; compopt() { :; }
          COMP_WORDS=(faceplate "$@"); COMP_CWORD=$#; _faceplate; printf '%s\\n' "\${COMPREPLY[@]}"`,
          'bash',
          ...words,
        ],
        { cwd: folder, encoding: 'utf8' },
      ).trim();
    assert.equal(complete('pan'), 'panels');
    assert.equal(complete('call', 'display.s'), 'display.set\ndisplay.state');
    assert.equal(complete('--panel', 'x', 'call', 'display.set', 'bri'), 'brightness=');
    assert.equal(complete('rollout', 'set'), 'settings.change');
    assert.match(complete('push', 'completion.b'), /completion\.bash/);
  });

  for (const shell of ['zsh', 'fish'])
    it(`should give ${shell} a script that it accepts`, async (test) => {
      const { stdout } = await ends(['completion', shell]);
      const path = join(folder, `completion.${shell}`);
      writeFileSync(path, stdout);
      try {
        execFileSync(shell, ['-n', path]);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        test.skip(`${shell} is not installed`);
      }
    });

  it('should follow a roll-out to its end, and tell one that stopped', async () => {
    for (const [end, exit] of [
      ['done', 0],
      ['stopped', 1],
    ] as const) {
      const owner = await rolloutOwner(end);
      try {
        const args = ['rollout', 'settings.change', 'kiosk.url=http://x', '--groups', 'a,b', '--canary', '2'];
        const ended = await ends([...args, '--healthy-for', '5', '--panel', owner.address, '--json']);
        assert.equal(ended.code, exit, ended.stderr);
        assert.equal(JSON.parse(ended.stdout).state, end);
        assert.deepEqual(owner.asked, {
          groups: ['a', 'b'],
          command: 'settings.change',
          params: { kiosk: { url: 'http://x' } },
          canary: 2,
          healthyFor: 5,
        });
        assert.match(ended.stderr, /p1 proving\n.*p1 (?:healthy|failed, PAGE)/s);
        if (end === 'stopped') assert.match(ended.stderr, /STOPPED: p1 failed/);
      } finally {
        await owner.close();
      }
    }
  });
});

/** A panel that owns a roll-out of one panel, away in the middle of it. */
async function rolloutOwner(end: 'done' | 'stopped') {
  const owner = { asked: undefined as unknown, address: '', close: async () => {} };
  let looks = 0;
  const json = (response: ServerResponse, status: number, value: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method === 'POST') {
      owner.asked = JSON.parse(body);
      return json(response, 200, { id: 'r1' });
    }
    looks++;
    if (looks === 2) return json(response, 503, { error: 'The panel is starting.', code: 'STARTING' });
    const isOver = looks > 2;
    const failed = { id: 'p1', state: 'failed', reason: 'PAGE' };
    const last = end === 'done' ? { id: 'p1', state: 'healthy', reason: null } : failed;
    return json(response, 200, {
      id: 'r1',
      state: isOver ? end : 'running',
      reason: isOver && end === 'stopped' ? 'p1 failed' : null,
      command: 'settings.change',
      startedAt: '2026-01-01T00:00:00Z',
      endedAt: null,
      panels: [isOver ? last : { id: 'p1', state: 'proving', reason: null }],
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  owner.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  owner.close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return owner;
}
