import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PanelError } from './arguments.ts';
import { FILES, type Machine, qemuArguments } from './qemu.ts';
import { qemuMachines } from './qemuMachines.ts';
import { Qmp } from './qmp.ts';

/** How long one try to speak to it may take, in milliseconds. */
const TRY_MS = 3_000;
/** How long QEMU may take until it answers, and to end after `quit`, in milliseconds. */
const START_MS = 60_000;
const END_MS = 10_000;
/** The most of QEMU's words that an error repeats, in characters. */
const WORDS = 2000;

/** One run of QEMU with the files of a panel's folder. */
export class VirtualMachine {
  readonly qmp: Qmp;
  /** Resolves when QEMU has ended. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, ended: Promise<void>, qmp: Qmp) {
    this.#child = child;
    this.ended = ended;
    this.qmp = qmp;
  }

  /** @throws PanelError with QEMU's words where it does not start */
  static async start(folder: string, machine: Machine): Promise<VirtualMachine> {
    if (await isRunning(folder)) throw new PanelError(`The panel in ${folder} runs already.`);
    for (const name of [FILES.qmp, FILES.control, FILES.gpio, FILES.led, ...FILES.serial])
      rmSync(join(folder, name), { force: true });
    const child = spawn(qemuMachines[machine.arch].program, qemuArguments(machine), {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      // A Ctrl+C at the terminal is ours to translate.
      detached: true,
    });
    let words = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-WORDS);
    });
    let failure: string | undefined;
    const ended = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        failure = error.message;
        resolve();
      });
      child.once('close', () => resolve());
    });
    // An emulated panel uses only idle time of the machine.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    const kill = () => void child.kill('SIGKILL');
    process.once('exit', kill);
    void ended.then(() => process.off('exit', kill));
    // Do not wait for a QEMU that has ended: the next one in this folder would look like it, and would be locked out.
    const over = new AbortController();
    void ended.then(() => over.abort());
    const qmp = await Promise.race([connected(folder, over.signal), ended.then(() => undefined)]);
    if (qmp !== undefined) return new VirtualMachine(child, ended, qmp);
    kill();
    throw new PanelError(`QEMU does not start: ${failure ?? words.trim()}`);
  }

  /** Ends it at once, as a power cut does. */
  async cut(): Promise<void> {
    await this.qmp.ask('quit').catch(() => {});
    await Promise.race([this.ended, sleep(END_MS, undefined, { ref: false })]);
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

/** A connection to the panel of a folder. @throws PanelError where it does not run */
export function connectTo(folder: string, door: string = FILES.qmp, limit?: number): Promise<Qmp> {
  const path = join(folder, door);
  // The path of a Unix socket has room for 107 bytes.
  const short = relative(process.cwd(), path);
  return Qmp.open(short.length < path.length ? short : path, limit);
}

async function isRunning(folder: string): Promise<boolean> {
  if (!existsSync(join(folder, FILES.qmp))) return false;
  try {
    (await connectTo(folder)).close();
    return true;
  } catch {
    return false;
  }
}

async function connected(folder: string, over: AbortSignal): Promise<Qmp | undefined> {
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    await sleep(100);
    if (over.aborted) return undefined;
    if (!existsSync(join(folder, FILES.control))) continue;
    // A QEMU that is just coming up may take a connection and never answer on it.
    const qmp = await connectTo(folder, FILES.control, TRY_MS).catch(() => undefined);
    if (qmp !== undefined && !over.aborted) return qmp;
    qmp?.close();
  }
  return undefined;
}
