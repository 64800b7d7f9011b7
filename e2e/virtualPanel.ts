import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@playwright/test';
import { chooseAccelerator } from '../build/panel/accelerator.ts';
import { makeAcpiTable } from '../build/panel/acpiTable.ts';
import { preparePanel } from '../build/panel/folder.ts';
import { freePort } from '../build/panel/freePort.ts';
import { FILES, type Machine } from '../build/panel/qemu.ts';
import { VirtualMachine } from '../build/panel/virtualMachine.ts';
import type { ApiAnswer } from './api.ts';
import { GlassPicture } from './glassPicture.ts';
import { testedArch, testedImage } from './panel/progress.ts';
import { addFiles, addTestShell, partitionAt, TEST_PORT } from './testShell.ts';

/** The ends of steps that an emulated panel on a busy machine takes, in milliseconds. */
export const PATIENCE = { boot: 45 * 60_000, page: 30 * 60_000, call: 60_000, fact: 120_000 } as const;
/** The socket of the tests' shell, in the panel's folder. */
const SHELL_SOCKET = 'test.sock';

/** A virtual panel with a shell of root's, so that tests can break it from within. */
export class VirtualPanel {
  readonly folder: string;
  #machine: VirtualMachine | undefined;
  #address = '';
  #token = '';
  #shell: Line | undefined;

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Makes a new panel of the newest image, in place of what is in the folder. Nothing is started.
   * @param boot files that a person left on the boot partition, by name
   * @param system files of the root file system, by path
   */
  async make(
    boot: Readonly<Record<string, string | Buffer>> = {},
    system: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    await preparePanel(this.folder, testedArch, testedImage);
    const base = this.#at(FILES.base);
    const root = `${base}?offset=${partitionAt('root-a') * 2 ** 20}`;
    addTestShell(root);
    addFiles(root, system);
    for (const [name, content] of Object.entries(boot)) {
      const file = this.#at(name);
      writeFileSync(file, content);
      execFileSync('mcopy', ['-o', '-i', `${base}@@${partitionAt('boot')}M`, file, `::${name}`]);
      rmSync(file);
    }
  }

  /** Switches it on. @param state what was kept of its memory @param more further arguments of QEMU, such as another disk */
  async switchOn(state?: string, more: readonly string[] = []): Promise<void> {
    const port = await freePort();
    const machine: Omit<Machine, 'accelerator'> = {
      arch: testedArch,
      processors: 2,
      memoryMiB: Number(process.env.PANEL_MEMORY ?? 2048),
      port,
      screen: 'none',
      more: [
        ...['-chardev', `socket,id=test,path=${SHELL_SOCKET},server=on,wait=off`],
        ...['-device', `virtserialport,chardev=test,name=${TEST_PORT}`],
        ...(state === undefined ? [] : ['-incoming', `exec:zstd -dcq ${state}`]),
        ...more,
      ],
    };
    await makeAcpiTable(this.folder, machine.arch);
    const accelerator = await chooseAccelerator(this.folder, machine);
    rmSync(this.#at(SHELL_SOCKET), { force: true });
    this.#machine = await VirtualMachine.start(this.folder, { ...machine, accelerator });
    this.#address = `http://127.0.0.1:${port}`;
  }

  /** Switches it on, and waits until its service is healthy. */
  async boot(): Promise<void> {
    await this.switchOn();
    await this.untilHealthy();
  }

  /** Keeps the running panel, memory and disk, under a name, and ends it. */
  async keep(name: string): Promise<void> {
    this.forgetShell();
    const { qmp } = this.#machine!;
    await qmp.ask('stop');
    await qmp.ask('migrate-set-parameters', { 'max-bandwidth': 2 ** 40 });
    await qmp.ask('migrate', { uri: `exec:zstd -1 -T0 -q -f -o ${name}.state.new` });
    const status = async () => ((await qmp.ask('query-migrate')) as { status: string }).status;
    await expect.poll(status, { timeout: 10 * 60_000 }).toMatch(/completed|failed/);
    expect(await status()).toBe('completed');
    await this.#machine!.cut();
    this.#machine = undefined;
    renameSync(this.#at(FILES.disk), this.#at(`${name}.qcow2`));
    copyFileSync(this.#at(FILES.variables), this.#at(`${name}.fd`));
    // The last file: what is cut off here is made again.
    renameSync(this.#at(`${name}.state.new`), this.#at(`${name}.state`));
  }

  /** Whether a panel was kept under this name. */
  has(name: string): boolean {
    return existsSync(this.#at(`${name}.state`));
  }

  /** Goes on with a kept panel, as it was; what it writes is apart from what was kept. */
  async resume(name: string): Promise<void> {
    rmSync(this.#at(FILES.disk), { force: true });
    const create = ['create', '-q', '-f', 'qcow2', '-F', 'qcow2', '-b', `${name}.qcow2`, FILES.disk];
    execFileSync('qemu-img', create, { cwd: this.folder });
    copyFileSync(this.#at(`${name}.fd`), this.#at(FILES.variables));
    await this.switchOn(`${name}.state`);
    const { qmp } = this.#machine!;
    const status = async () => ((await qmp.ask('query-status')) as { status: string }).status;
    await expect.poll(status, { timeout: 5 * 60_000 }).not.toBe('inmigrate');
    if ((await status()) !== 'running') await qmp.ask('cont');
    await this.untilHealthy();
  }

  /** Presses the power button and waits until the panel is off. */
  async powerOff(): Promise<void> {
    const machine = this.#machine;
    if (machine === undefined) return;
    await machine.qmp.ask('system_powerdown');
    const late = setTimeout(() => void machine.cut(), 5 * 60_000);
    await machine.ended;
    clearTimeout(late);
    this.#off();
  }

  /** Cuts the power; nothing where it is off. */
  async cut(): Promise<void> {
    await this.#machine?.cut();
    this.#off();
  }

  /** Cuts the power and gives it back at once. */
  async cutShortly(): Promise<void> {
    await this.qemu('system_reset');
    this.forgetShell();
  }

  /** A picture of the glass, as QEMU sees it. */
  async screenshot(file: string): Promise<void> {
    mkdirSync(dirname(file), { recursive: true });
    await this.qemu('screendump', { filename: file, format: 'png' });
  }

  /** The same, to be looked at by a test. */
  async picture(): Promise<GlassPicture> {
    const file = this.#at('glass.ppm');
    await this.qemu('screendump', { filename: 'glass.ppm' });
    return new GlassPicture(readFileSync(file));
  }

  /** Plugs a USB stick in. @param file its content */
  async plug(file: string): Promise<void> {
    const stick = { driver: 'raw', 'node-name': 'stick', file: { driver: 'file', filename: file } };
    await this.qemu('blockdev-add', stick);
    await this.qemu('device_add', { driver: 'usb-storage', id: 'stick', drive: 'stick', bus: 'usb.0' });
  }

  /** After a restart of the panel, whose shell is another one. */
  forgetShell(): void {
    this.#shell?.close();
    this.#shell = undefined;
  }

  /** Resolves with the next event of QEMU that has this name, such as `RESET`. */
  nextEvent(name: string): Promise<void> {
    const { qmp } = this.#machine!;
    return new Promise((resolve) => {
      const stop = qmp.onEvent(({ event }) => {
        if (event !== name) return;
        stop();
        resolve();
      });
    });
  }

  get isOn(): boolean {
    return this.#machine !== undefined;
  }

  async untilHealthy(): Promise<void> {
    await expect.poll(() => this.isHealthy(), { timeout: PATIENCE.boot, intervals: [1_000] }).toBe(true);
  }

  isHealthy(): Promise<boolean> {
    return fetch(`${this.#address}/healthz`, { signal: AbortSignal.timeout(PATIENCE.call) }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** Calls the API with the owner's token. */
  async api(path: string, body?: object | Buffer, method = 'POST'): Promise<ApiAnswer> {
    if (this.#token === '') this.#token = await this.root('cat /var/lib/faceplate/token');
    const isFile = Buffer.isBuffer(body);
    const content = isFile ? body : body === undefined ? undefined : JSON.stringify(body);
    const type = isFile ? 'application/octet-stream' : 'application/json';
    const asked = request(`${this.#address}${path}`, {
      method: content === undefined ? 'GET' : method,
      // A connection of its own: a slow panel may close a kept one just as it is used again.
      agent: false,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(content === undefined
          ? {}
          : { 'content-type': type, 'content-length': Buffer.byteLength(content) }),
      },
      signal: AbortSignal.timeout(isFile ? PATIENCE.boot : PATIENCE.call),
    });
    asked.end(content);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode!, body: (await json(answer)) as Record<string, unknown> };
  }

  /** Waits until the page stands on the glass. */
  async pageShown(): Promise<void> {
    const state = async () => (await this.api('/api/remote/page').catch(() => undefined))?.body.state;
    await expect.poll(state, { timeout: PATIENCE.page, intervals: [2_000] }).toBe('shown');
  }

  /** Runs a command as root. @returns its words @throws Error where it fails */
  async root(command: string): Promise<string> {
    const line = await this.#shellLine();
    line.clear();
    line.send(`${Buffer.from(command).toString('base64')}\n`);
    await expect.poll(() => line.said, { timeout: PATIENCE.fact }).toMatch(/\n/);
    const [, code, words] = /^(\d+) (\S*)\n/.exec(line.said)!;
    const text = Buffer.from(words!, 'base64').toString();
    if (code !== '0') throw new Error(`${command} ended with ${code}: ${text}`);
    return text;
  }

  /** Runs a command that leaves nobody to answer. */
  async rootWithoutAnswer(command: string): Promise<void> {
    const line = await this.#shellLine();
    line.send(`${Buffer.from(command).toString('base64')}\n`);
  }

  /** Connects to one of its sockets. */
  async line(name: string): Promise<Line> {
    // The panel looks now and then whether somebody listens: who comes right after another is not told the levels.
    await sleep(1_000);
    const socket = connect(relative(process.cwd(), this.#at(name)));
    await once(socket, 'connect');
    return new Line(socket);
  }

  /** Sends a command to QEMU. */
  async qemu(command: string, options?: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.#machine!.qmp.ask(command, options);
  }

  /** A tap on the glass. @param x, y from 0 to 1 */
  async tap(x: number, y: number): Promise<void> {
    const axis = (name: string, value: number) => ({
      type: 'abs',
      data: { axis: name, value: Math.round(value * 32_767) },
    });
    const button = (down: boolean) => ({ type: 'btn', data: { down, button: 'left' } });
    const send = (...events: object[]) => this.qemu('input-send-event', { events });
    await send(axis('x', x), axis('y', y));
    await send(button(true));
    await sleep(150);
    await send(button(false));
  }

  /** The words of GRUB, the kernel and the units of all boots. */
  get console(): string {
    return readFileSync(this.#at(FILES.console), 'utf8');
  }

  #at(name: string): string {
    return join(this.folder, name);
  }

  #off(): void {
    this.#machine = undefined;
    this.forgetShell();
  }

  /** The shell, once it answers: it starts some seconds after the kernel. */
  async #shellLine(): Promise<Line> {
    if (this.#shell !== undefined) return this.#shell;
    const line = await this.line(SHELL_SOCKET);
    await expect(async () => {
      line.clear();
      line.send(`${Buffer.from('echo ready').toString('base64')}\n`);
      await expect.poll(() => line.said, { timeout: 5_000 }).toMatch(/^0 cmVhZHk=\n/);
    }).toPass({ timeout: PATIENCE.boot });
    // Answers to the tries before.
    await sleep(1_000);
    this.#shell = line;
    return line;
  }
}

/** What a socket of the panel says, line by line. */
export class Line {
  readonly #socket: Socket;
  #said = '';

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
    socket.on('error', () => {});
  }

  get said(): string {
    return this.#said;
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  /** Forgets what was said. */
  clear(): void {
    this.#said = '';
  }

  async heard(words: RegExp): Promise<void> {
    await expect.poll(() => this.#said, { timeout: PATIENCE.fact }).toMatch(words);
  }

  close(): void {
    this.#socket.destroy();
  }
}
