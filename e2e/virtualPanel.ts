import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@playwright/test';
import type { ApiAnswer } from './api.ts';

const project = join(import.meta.dirname, '..');
/** The ends of steps that an emulated panel on a busy machine takes, in milliseconds. */
export const PATIENCE = { boot: 45 * 60_000, page: 30 * 60_000, call: 60_000, fact: 120_000 } as const;
/** Where the data partition begins on the disk of a panel, in MiB: build/image/disk.ts. */
const DATA_AT_MIB = 1 + 128 + 2 * 2560;

/** A virtual panel, started by the command that a developer types. */
export class VirtualPanel {
  readonly folder: string;
  #command: ChildProcess | undefined;
  #address = '';
  #token = '';

  /** @param folder a new one is a new panel */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** Boots until the service is healthy. */
  async start(): Promise<void> {
    const args = ['build/setup/panel.mjs', '--headless', '--dir', this.folder];
    const image = process.env.PANEL_IMAGE;
    if (image !== undefined) args.push('--image', image);
    const command = spawn('node', args, { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#command = command;
    let said = '';
    command.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const until = performance.now() + PATIENCE.boot;
    while (!/^virtual panel ready http/m.test(said)) {
      if (command.exitCode !== null) throw new Error('The panel has ended before it was ready.');
      if (performance.now() > until) throw new Error('The panel does not get ready.');
      await sleep(500);
    }
    this.#address = /^virtual panel ready (http:\S+)$/m.exec(said)![1]!;
  }

  /** Presses the power button and waits until the panel is off. */
  async powerOff(): Promise<void> {
    this.#command?.kill('SIGTERM');
    await this.#ended();
  }

  /** Cuts the power. */
  async cut(): Promise<void> {
    this.#tell('cut');
    await this.#ended();
  }

  /** A picture of the glass, as QEMU sees it. */
  screenshot(file: string): void {
    this.#tell('screenshot', file);
  }

  get isHealthy(): Promise<boolean> {
    const signal = AbortSignal.timeout(PATIENCE.call);
    return fetch(`${this.#address}/healthz`, { signal }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** Calls the API with the owner's token, which is read from the disk: nobody can log in at a panel. */
  async api(path: string, body?: object): Promise<ApiAnswer> {
    if (this.#token === '') this.#token = await this.#readToken();
    const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${this.#address}${path}`, {
      ...post,
      headers: { authorization: `Bearer ${this.#token}`, ...type },
      signal: AbortSignal.timeout(PATIENCE.call),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** Waits until the page stands on the glass. */
  async pageShown(): Promise<void> {
    const state = async () => (await this.api('/api/remote/page').catch(() => undefined))?.body.state;
    await expect.poll(state, { timeout: PATIENCE.page, intervals: [5_000] }).toBe('shown');
  }

  /** Connects to one of its sockets. */
  async line(name: string): Promise<Line> {
    const socket = connect(relative(process.cwd(), join(this.folder, name)));
    await once(socket, 'connect');
    return new Line(socket);
  }

  /** Sends commands to QEMU. */
  async qemu(...commands: readonly object[]): Promise<void> {
    const line = await this.line('qmp.sock');
    await line.heard(/"QMP"/);
    for (const [index, command] of [{ execute: 'qmp_capabilities' }, ...commands].entries()) {
      line.send(`${JSON.stringify({ ...command, id: index })}\n`);
      await line.heard(new RegExp(`"return".*"id": ${index}\\b`));
    }
    line.close();
  }

  /** A tap on the glass. @param x, y from 0 to 1 */
  async tap(x: number, y: number): Promise<void> {
    const axis = (name: string, value: number) => ({
      type: 'abs',
      data: { axis: name, value: Math.round(value * 32_767) },
    });
    const button = (down: boolean) => ({ type: 'btn', data: { down, button: 'left' } });
    const send = (...events: object[]) => this.qemu({ execute: 'input-send-event', arguments: { events } });
    await send(axis('x', x), axis('y', y));
    await send(button(true));
    await sleep(150);
    await send(button(false));
  }

  async #ended(): Promise<void> {
    const command = this.#command;
    if (command !== undefined && command.exitCode === null) await once(command, 'exit');
    this.#command = undefined;
  }

  #tell(...words: readonly string[]): void {
    const args = ['build/setup/panel.mjs', ...words, '--dir', this.folder];
    execFileSync('node', args, { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  /** The kernel writes to the disk some seconds after the service does. */
  async #readToken(): Promise<string> {
    const work = join(this.folder, 'looked-at');
    const until = performance.now() + PATIENCE.fact;
    try {
      for (;;) {
        const token = readData(this.folder, work, '/var/lib/faceplate/token').trim();
        if (token !== '') return token;
        if (performance.now() > until) throw new Error('There is no token on the disk of the panel.');
        await sleep(5_000);
      }
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
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

/** A file of the data partition of a panel, also while it runs. */
function readData(folder: string, work: string, path: string): string {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  const data = join(work, 'data.img');
  const from = [`if=${join(folder, 'disk.qcow2')}`, 'bs=1M', `skip=${DATA_AT_MIB}`];
  execFileSync('qemu-img', ['dd', '-U', '-f', 'qcow2', '-O', 'raw', ...from, `of=${data}`]);
  const quiet = { stdio: 'pipe', encoding: 'utf8' } as const;
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  try {
    execFileSync('e2fsck', ['-f', '-y', data], { ...quiet, env });
  } catch {
    // 1: mended, as the power was never cut here.
  }
  return existsSync(data) ? execFileSync('debugfs', ['-R', `cat ${path}`, data], { ...quiet, env }) : '';
}

/** What a step has kept for the next run. */
export function kept(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
