import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach, test } from 'node:test';
import type { Level } from '../parts/gpio/contract.ts';

/** Debian's own: another Python that comes first in PATH does not see the modules of Debian's packages. */
const PYTHON = '/usr/bin/python3';
/** Tells a process that it runs under the double, and where to reach it. */
const SOCKET_VARIABLE = 'DEVICE_DOUBLE_SOCKET';
/** Longest time a child under the double may take, in milliseconds. */
const CHILD_LIMIT_MS = 60_000;

/** Puts a program under umockdev, which plays /dev and /sys. */
export const UMOCKDEV_PRELOAD = 'libumockdev-preload.so.0';

export const DOUBLE_MISSING =
  'umockdev is not installed (apt install umockdev gir1.2-umockdev-1.0 python3-gi): no double of the device nodes';

/** An ioctl of a node, or a written attribute of /sys. */
type DeviceCall =
  | { readonly device: string; readonly request: number; readonly argument: number | string | null }
  | { readonly device: string; readonly wrote: string };

/** How the double reports an ioctl of this node. */
export function ioctlsOf(device: string): (request: number, argument: number) => DeviceCall {
  return (request, argument) => ({ device, request, argument });
}

/** Controls the double. Each method is a command of deviceDouble.py, where it is described. */
export class DoubleControl {
  readonly #socket: Socket;
  readonly #answers: AsyncIterator<string>;

  constructor(path: string) {
    this.#socket = createConnection(path);
    this.#answers = createInterface({ input: this.#socket })[Symbol.asyncIterator]();
  }

  takeCalls(): Promise<DeviceCall[]> {
    return this.#ask({ do: 'take_calls' });
  }

  pins(): Promise<Level[]> {
    return this.#ask({ do: 'pins' });
  }

  setPin(pin: number, level: Level): Promise<void> {
    return this.#ask({ do: 'set_pin', pin, level });
  }

  stickPin(pin: number | null): Promise<void> {
    return this.#ask({ do: 'stick_pin', pin });
  }

  channels(): Promise<number[]> {
    return this.#ask({ do: 'channels' });
  }

  /** @param after calls of the node that still succeed @param times calls that then fail */
  fail(device: string, error: string, { after = 0, times = 1 } = {}): Promise<void> {
    return this.#ask({ do: 'fail', device, error, after, times });
  }

  mend(): Promise<void> {
    return this.#ask({ do: 'mend' });
  }

  attribute(path: string): Promise<string> {
    return this.#ask({ do: 'attribute', path });
  }

  setAttribute(path: string, value: string): Promise<void> {
    return this.#ask({ do: 'set_attribute', path, value });
  }

  remove(path: string): Promise<void> {
    return this.#ask({ do: 'remove', path });
  }

  restore(path: string): Promise<void> {
    return this.#ask({ do: 'restore', path });
  }

  /** @param events as [type, code, value] @param down the keys that the kernel then says are down */
  typeKeys(
    events: readonly (readonly [number, number, number])[],
    down: readonly number[] = [],
  ): Promise<void> {
    return this.#ask({ do: 'type_keys', events, down });
  }

  ttySend(path: string, hex: string): Promise<void> {
    return this.#ask({ do: 'tty_send', path, hex });
  }

  ttyReceived(path: string, count: number): Promise<string> {
    return this.#ask({ do: 'tty_received', path, count });
  }

  close(): void {
    this.#socket.destroy();
  }

  async #ask<T>(command: Readonly<Record<string, unknown>>): Promise<T> {
    this.#socket.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error('the device double has gone');
    const answer = JSON.parse(value) as { result?: T; error?: string };
    if (answer.error !== undefined) throw new Error(`the device double failed: ${answer.error}`);
    return answer.result as T;
  }
}

/** The process that plays the nodes, for tests that start programs under it. */
export class DeviceDouble {
  readonly #process: ChildProcess;
  readonly #root: string;
  /** Variables that put a program under the double, including the double's own address. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where a DoubleControl reaches it. */
  readonly socket: string;

  private constructor(child: ChildProcess, { root, socket }: { root: string; socket: string }) {
    this.#process = child;
    this.#root = root;
    this.socket = socket;
    this.environment = {
      LD_PRELOAD: UMOCKDEV_PRELOAD,
      UMOCKDEV_DIR: root,
      [SOCKET_VARIABLE]: socket,
    };
  }

  /** @returns null where umockdev is not installed: skip with DOUBLE_MISSING */
  static async start(): Promise<DeviceDouble | null> {
    const script = join(import.meta.dirname, 'deviceDouble.py');
    const child = spawn(PYTHON, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    child.on('error', (error) => {
      complaint += error.message;
    });
    for await (const line of createInterface({ input: child.stdout })) {
      child.stderr.pipe(process.stderr);
      return new DeviceDouble(child, JSON.parse(line));
    }
    if (
      /ENOENT|ModuleNotFoundError|ImportError|Namespace UMockdev not available|libumockdev-preload/.test(
        complaint,
      )
    )
      return null;
    throw new Error(`the device double did not start: ${complaint}`);
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.stdin?.end();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(timer);
    await rm(this.#root, { recursive: true, force: true });
  }
}

/**
 * Runs the tests of a file under the double: the file runs itself once more as a child process whose device nodes are
 * the double's. Only that process calls `define`, which defines the tests; this one has one test for all of them. The
 * faults of a test are removed after it.
 * @param file `import.meta.filename` of the caller
 */
export function underDeviceDouble(
  title: string,
  file: string,
  define: (double: DoubleControl) => void,
): void {
  const path = process.env[SOCKET_VARIABLE];
  if (path !== undefined) {
    const double = new DoubleControl(path);
    after(() => double.close());
    afterEach(() => double.mend());
    define(double);
    return;
  }
  test(`${title} on the device double`, async (t) => {
    const double = await DeviceDouble.start();
    if (!double) return t.skip(DOUBLE_MISSING);
    try {
      const { code, output } = await runChild(file, double.environment);
      if (code !== 0) throw new Error(`the tests under the double failed:\n${output}`);
    } finally {
      await double.stop();
    }
  });
}

async function runChild(
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const env: NodeJS.ProcessEnv = { ...process.env, ...environment };
  // The runner's own variable would make the child report in a binary form.
  delete env.NODE_TEST_CONTEXT;
  const child = spawn(process.execPath, ['--test-reporter=spec', file], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: CHILD_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
