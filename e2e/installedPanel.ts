import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from '@playwright/test';
import type { DebianMachine } from './debianMachine.ts';

const MINUTE_MS = 60_000;
/** A headless screen. The rest of the unit stays as shipped. */
const HEADLESS_SCREEN = `[Service]
StandardInput=null
TTYPath=
TTYReset=no
TTYVHangup=no
TTYVTDisallocate=no
Environment=WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1
`;
const UNITS = [
  'faceplate.service',
  'faceplate-display.service',
  'faceplate-helper.socket',
  'faceplate-helper@1.service',
  'faceplate-kiosk.socket',
  'faceplate-kiosk@1.service',
  'faceplate.slice',
];
/** Who may be on the panel. */
const USERS = ['faceplate', 'faceplate-kiosk', 'faceplate-display'];
/** Of a message that is an alarm: server/pages/glass/message/message.css. */
const ALARM = 'a50e1f';
/** Neither that nor black. */
const PAGE = /^(?!000000|a50e1f)[0-9a-f]{6}$/;

/** One of our Debian packages on a machine of the tests. */
export class InstalledPanel {
  readonly machine: DebianMachine;

  constructor(machine: DebianMachine) {
    this.machine = machine;
  }

  /** What the service made at its first start; empty before. */
  get token(): string {
    const file = join(this.machine.folder, 'var/lib/faceplate/token');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  }

  /** Installs the package on a machine that is down: each unit must be in order. Its screen becomes a headless one. */
  async install(file: string): Promise<void> {
    const { machine } = this;
    await machine.prepare('apt-get', 'update', '-q');
    const installed = await machine.prepare(
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      ...['apt-get', 'install', '-q', '-y', '--no-install-recommends', this.#give(file)],
      'libpam-systemd',
      'procps',
      // Takes pictures of the screen for the test.
      'grim',
    );
    expect(installed.code, installed.stdout + installed.stderr).toBe(0);
    const verified = await machine.prepare('systemd-analyze', 'verify', '--man=no', ...UNITS);
    expect(verified.code, verified.stderr).toBe(0);
    expect(
      (verified.stdout + verified.stderr).split('\n').filter((line) => line.includes('faceplate')),
    ).toEqual([]);
    const dropIn = join(machine.folder, 'etc/systemd/system/faceplate-display.service.d');
    mkdirSync(dropIn);
    writeFileSync(join(dropIn, 'headless.conf'), HEADLESS_SCREEN);
  }

  /** Installs a package over the one that runs: settings and token stay. */
  async update(file: string): Promise<void> {
    const { token } = this;
    await this.machine.run('sh', '-c', 'echo FACEPLATE_HTTP_PORT=8080 >>/etc/default/faceplate');
    const update = await this.machine.run('dpkg', '--install', this.#give(file));
    expect(update.code, update.stderr).toBe(0);
    await this.isServing();
    expect(this.token).toBe(token);
    expect(readFileSync(join(this.machine.folder, 'etc/default/faceplate'), 'utf8')).toContain(
      'HTTP_PORT=8080',
    );
  }

  /**
   * Removes the package, which ends what runs and keeps the data, then purges it, which leaves nothing.
   * @param programs the names of what it runs, as an extended regular expression
   */
  async removeAndPurge(name: string, programs: string): Promise<void> {
    const { machine } = this;
    const removal = await machine.run('dpkg', '--remove', name);
    expect(removal.code, removal.stderr).toBe(0);
    expect((await machine.run('pgrep', '-u', USERS.join(), '-f', programs)).stdout).toBe('');
    expect((await machine.run('ls', '/var/lib/faceplate/token')).code).toBe(0);

    const purge = await machine.run('dpkg', '--purge', name);
    expect(purge.code, purge.stderr).toBe(0);
    const find = ['/etc', '/usr', '/var/lib', '/run', '-xdev', '-iname', '*faceplate*'];
    // The drop-ins are the test's, not the package's.
    const left = await machine.run('find', ...find, '-not', '-path', '/etc/systemd/system/*.service.d*');
    expect(left.stdout).toBe('');
    for (const database of ['passwd', 'group'])
      expect((await machine.run('getent', database, ...USERS)).stdout).toBe('');
  }

  /** Calls the API from the machine itself, with the Node of the package. */
  async api(method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> {
    const script = `
    const { method, path, token, body } = JSON.parse(process.argv[1]);
    const headers = { authorization: 'Bearer ' + token, ...(body && { 'content-type': 'application/json' }) };
    fetch('http://127.0.0.1:8080' + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      .then(async (answer) => {
        const type = answer.headers.get('content-type') ?? '';
        const json = type.includes('json') ? await answer.json() : Buffer.from(await answer.arrayBuffer()).toString('base64');
        console.log(JSON.stringify({ status: answer.status, json }));
      }, () => console.log(JSON.stringify({ status: 0 })));`;
    const request = JSON.stringify({ method, path, token: this.token, body });
    const { stdout } = await this.machine.run('/usr/lib/faceplate/bin/node', '--eval', script, request);
    return stdout === '' ? { status: 0, json: undefined } : JSON.parse(stdout);
  }

  async isServing(): Promise<void> {
    await expect
      .poll(async () => (await this.api('GET', '/healthz')).status, { timeout: 2 * MINUTE_MS })
      .toBe(200);
  }

  /** What the panel shows, as soon as there is a browser. @returns a PNG in base64 */
  async screenshot(): Promise<string> {
    const shot = () => this.api('GET', '/api/manage/screenshot');
    await expect.poll(async () => (await shot()).status, { timeout: 2 * MINUTE_MS }).toBe(200);
    return String((await shot()).json);
  }

  /** Waits for a page on the screen, then asks for a message over HTTP: it covers the upper edge, and the page stays below. */
  async showsMessages(): Promise<void> {
    const [above, below] = [() => this.#pixel(2, 2), () => this.#pixel(2, 715)];
    await expect.poll(above, { timeout: MINUTE_MS }).toMatch(PAGE);
    await expect.poll(below, { timeout: MINUTE_MS }).toMatch(PAGE);
    const message = { id: 'bell', level: 'alarm', text: 'Fire', seconds: 0 };
    const shown = await this.api('POST', '/api/remote/message', message);
    expect(shown).toEqual({ status: 200, json: { id: 'bell' } });
    await expect.poll(above, { timeout: MINUTE_MS }).toBe(ALARM);
    expect(await below()).toMatch(PAGE);
    expect((await this.api('DELETE', '/api/remote/message/bell')).status).toBe(200);
    await expect.poll(above, { timeout: MINUTE_MS }).toMatch(PAGE);
  }

  /** A property of a unit, as systemd sees it. */
  async property(unit: string, name: string): Promise<string> {
    const { stdout } = await this.machine.run('systemctl', 'show', '--value', `--property=${name}`, unit);
    return stdout.trim();
  }

  /** `user capabilities namespace command` of each process of the service and of the kiosk's jobs; `own` is the machine's namespace. */
  async processes(): Promise<string[]> {
    const script =
      'for p in $(pgrep .); do grep -Eqs "faceplate(-kiosk@[^/]*)?[.]service" /proc/$p/cgroup || continue; ' +
      "caps=$(sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/$p/status); " +
      '[ "$(readlink /proc/$p/ns/user)" = "$(readlink /proc/1/ns/user)" ] && space=own || space=another; ' +
      "echo $(stat -c %U /proc/$p) $caps $space $(tr '\\0' ' ' </proc/$p/cmdline); done";
    const { stdout } = await this.machine.run('sh', '-c', script);
    return stdout.split('\n').filter((line) => line.trim() !== '');
  }

  /** A pixel of the screen as sway puts it together, as RRGGBB: from a picture that a program of the kiosk takes. */
  async #pixel(x: number, y: number): Promise<string> {
    const screen = [
      'XDG_RUNTIME_DIR=/run/faceplate-kiosk',
      'WAYLAND_DISPLAY=/run/faceplate-display/wayland-1',
    ];
    const picture = `cd /; grim -t ppm -g '${x},${y} 1x1' - | tail -c 3 | od -An -tx1`;
    const { stdout } = await this.machine.runAs('faceplate-kiosk', 'env', ...screen, 'sh', '-c', picture);
    return stdout.replaceAll(/\s/g, '');
  }

  /** Puts a package on the machine. @returns its path there */
  #give(file: string): string {
    const path = join('/var/tmp', basename(file));
    copyFileSync(file, join(this.machine.folder, path));
    return path;
  }
}
