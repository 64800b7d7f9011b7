import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { step } from '../image/progress.ts';
import { FILES, type Machine } from './qemu.ts';
import { VirtualMachine } from './virtualMachine.ts';

const nativeArch = process.arch === 'arm64' ? 'arm64' : 'amd64';
/** The answer is a file beside the disk: a new panel tries again. */
const ANSWER = 'accelerator';
/** How long the kernel of the image may take until it runs its first program, in milliseconds. KVM needs a fifth. */
const TRIAL_MS = 40_000;
/** What the kernel says on the console when it starts the program of its initramfs. */
const RUNS = /Run \/init as init process/;

/** Whether this user may use KVM at all. */
function hasKvm(): boolean {
  try {
    accessSync('/dev/kvm', constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Finds out whether KVM works by booting the image: where a virtual machine runs in another, `/dev/kvm` may open and run
 * nothing.
 */
export async function chooseAccelerator(
  folder: string,
  machine: Omit<Machine, 'accelerator'>,
): Promise<Machine['accelerator']> {
  // KVM runs programs of the machine's own processor alone.
  if (machine.arch !== nativeArch || !hasKvm()) return 'tcg';
  const answer = join(folder, ANSWER);
  if (existsSync(answer)) return readFileSync(answer, 'utf8').trim() === 'kvm' ? 'kvm' : 'tcg';
  const chosen = await step('Whether KVM works', async () =>
    (await boots(folder, { ...machine, screen: 'none', isTrial: true })) ? 'kvm' : 'tcg',
  );
  writeFileSync(answer, `${chosen}\n`);
  return chosen;
}

async function boots(folder: string, machine: Omit<Machine, 'accelerator'>): Promise<boolean> {
  const console = join(folder, FILES.console);
  rmSync(console, { force: true });
  const virtual = await VirtualMachine.start(folder, { ...machine, accelerator: 'kvm' }).catch(
    () => undefined,
  );
  if (virtual === undefined) return false;
  try {
    let isOver = false;
    void virtual.ended.then(() => {
      isOver = true;
    });
    const until = performance.now() + TRIAL_MS;
    while (performance.now() < until && !isOver) {
      await sleep(250);
      if (RUNS.test(readFileSync(console, 'utf8'))) return true;
    }
    return false;
  } finally {
    await virtual.cut();
  }
}
