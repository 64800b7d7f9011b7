// `npm run panel`: boots the image as a virtual panel in QEMU. docs/contributing.md says what it has and how it is used.

import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ImageError } from '../image/arguments.ts';
import { onSignal } from '../setup/machine/onSignal.mjs';
import { chooseAccelerator } from './accelerator.ts';
import { makeAcpiTable } from './acpiTable.ts';
import { PanelError, type PanelOptions, readArguments } from './arguments.ts';
import { makeDebianDisk } from './debianDisk.ts';
import { hasPanel, newestImage, newestPackage, preparePanel } from './folder.ts';
import { freePort } from './freePort.ts';
import { FILES, type Machine } from './qemu.ts';
import { untilHealthy } from './untilHealthy.ts';
import { connectTo, VirtualMachine } from './virtualMachine.ts';

const project = join(import.meta.dirname, '../..');
const say = (line: string) => void process.stderr.write(`${line}\n`);
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const MEMORY_MIB = 2048;
/** More processors make an emulated panel no faster. */
const MOST_PROCESSORS = 4;
/** How long a panel may take to switch itself off, in milliseconds. Emulated ones need a minute or two. */
const OFF_MS = 5 * 60_000;

try {
  await main(readArguments(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof PanelError) && !(error instanceof ImageError)) throw error;
  say(`\n${error.message}`);
  process.exitCode = 1;
}

async function main(options: PanelOptions): Promise<void> {
  const { task, arch, isPackage } = options;
  const folder = resolve(options.folder ?? join(project, 'dist/panel', isPackage ? `${arch}-package` : arch));
  if (task.kind === 'run') return run(options, folder);
  const qmp = await connectTo(folder);
  try {
    if (task.kind === 'cut') {
      // QEMU may be gone before its answer is.
      await Promise.race([qmp.ask('quit'), qmp.closed]);
      return;
    }
    const filename = resolve(task.file);
    mkdirSync(join(filename, '..'), { recursive: true });
    await qmp.ask('screendump', { filename, format: 'png' });
    console.log(relative(process.cwd(), filename));
  } finally {
    qmp.close();
  }
}

async function run(options: PanelOptions, folder: string): Promise<void> {
  if (!hasPanel(folder)) await makePanel(options, folder);
  const machine: Omit<Machine, 'accelerator'> = {
    arch: options.arch,
    processors: Math.min(MOST_PROCESSORS, availableParallelism()),
    memoryMiB: MEMORY_MIB,
    port: await freePort(),
    screen: screenOf(options),
  };
  await makeAcpiTable(folder, options.arch);
  // This program kills QEMU at its end; a signal without a handler would end it before that.
  const end = () => process.exit(130);
  for (const signal of SIGNALS) process.on(signal, end);
  const accelerator = await chooseAccelerator(folder, machine);
  say(
    accelerator === 'kvm'
      ? 'This machine runs the panel itself (KVM).'
      : 'QEMU emulates the panel, as KVM cannot run it here: the first page takes minutes.',
  );
  const virtual = await VirtualMachine.start(folder, { ...machine, accelerator });
  const off = new AbortController();
  void virtual.ended.then(() => off.abort());
  listenForSignals(virtual, off.signal);
  for (const signal of SIGNALS) process.off(signal, end);
  if (machine.screen === 'vnc') {
    const { host, service } = (await virtual.qmp.ask('query-vnc')) as { host: string; service: string };
    say(`Its screen: VNC ${host}:${service}`);
  }
  const address = `http://127.0.0.1:${machine.port}`;
  if (await untilHealthy(address, off.signal)) console.log(`virtual panel ready ${address}`);
  await virtual.ended;
  say('The panel is off.');
}

/** Makes the files of a new panel, from the image or from a Debian with the package. */
async function makePanel({ image, isPackage, arch }: PanelOptions, folder: string): Promise<void> {
  const dist = join(project, 'dist');
  if (!isPackage) {
    await preparePanel(folder, arch, () => (image === undefined ? newestImage(dist, arch) : resolve(image)));
    return;
  }
  const debian = join(folder, FILES.debian);
  mkdirSync(folder, { recursive: true });
  await makeDebianDisk(newestPackage(dist, arch), debian);
  await preparePanel(folder, arch, () => debian);
  rmSync(debian);
}

function screenOf({ isHeadless }: PanelOptions): Machine['screen'] {
  if (isHeadless) return 'none';
  return process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? 'window' : 'vnc';
}

/** The first SIGINT or SIGTERM presses the power button, the second one cuts the power. */
function listenForSignals(virtual: VirtualMachine, off: AbortSignal): void {
  let isPressed = false;
  const press = () => {
    if (isPressed) return void virtual.cut();
    isPressed = true;
    say('\nThe power button is pressed; once more cuts the power.');
    virtual.qmp.ask('system_powerdown').catch(() => {});
    // What does not go off by itself would stay for ever.
    sleep(OFF_MS, undefined, { signal: off, ref: false }).then(
      () => virtual.cut(),
      () => {},
    );
  };
  off.addEventListener('abort', onSignal(SIGNALS, press));
}
