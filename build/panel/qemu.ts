import type { Architecture } from '../image/architectures.ts';
import { qemuMachines } from './qemuMachines.ts';

/** How a virtual machine is put together. */
export interface Machine {
  readonly arch: Architecture;
  /** `kvm` where it works, else QEMU emulates every instruction. */
  readonly accelerator: 'kvm' | 'tcg';
  readonly processors: number;
  readonly memoryMiB: number;
  /** The port on 127.0.0.1 that leads to the panel's 8080. */
  readonly port: number;
  readonly screen: 'window' | 'vnc' | 'none';
  /** Changes of the disk are dropped at the end. */
  readonly isTrial?: boolean;
  /** Further arguments, of tests. */
  readonly more?: readonly string[];
}

/** The files of a panel, in its folder, which is QEMU's working directory: a Unix socket's path must be short. */
export const FILES = {
  /** The image as it was made; never written. */
  base: 'base.img',
  /** A Debian with the package, until the panel is made from it. */
  debian: 'debian.img',
  /** What the panel has written. */
  disk: 'disk.qcow2',
  firmware: 'firmware.fd',
  variables: 'variables.fd',
  /** Describes the backlight to the kernel. */
  acpiTable: 'backlight.aml',
  qmp: 'qmp.sock',
  /** A second door to QEMU, for the command that started it: one talks to each at a time. */
  control: 'control.sock',
  console: 'console.log',
  serial: ['ttyS1.sock', 'ttyS2.sock'],
  gpio: 'gpio.sock',
  led: 'led.sock',
  sound: 'sound.wav',
} as const;

/** The size of the disk in GiB; the image is smaller, and the first boot grows. */
export const DISK_GIB = 8;
/** The screen, in pixels. */
export const SCREEN = { width: 1280, height: 800 } as const;

/** The arguments of QEMU, which runs in the panel's folder. */
export function qemuArguments(machine: Machine): string[] {
  const { arch, accelerator, processors, memoryMiB, port } = machine;
  const own = qemuMachines[arch];
  const args = ['-name', 'faceplate-panel', '-no-user-config', '-nodefaults', ...own.machine];
  if (accelerator === 'kvm') args.push('-accel', 'kvm', '-cpu', 'host');
  else args.push('-accel', 'tcg,thread=multi,tb-size=1024', '-cpu', own.processor);
  args.push('-smp', String(processors), '-m', String(memoryMiB));
  args.push('-rtc', 'base=utc,clock=host');
  if (own.hasAcpi) args.push('-acpitable', `file=${FILES.acpiTable}`);
  args.push('-drive', `if=pflash,format=raw,readonly=on,file=${FILES.firmware}`);
  args.push('-drive', `if=pflash,format=raw,file=${FILES.variables}`);
  // Before the others, which take the first free places; the ACPI table names this one.
  const { width, height } = SCREEN;
  args.push('-vga', 'none', '-device', `virtio-gpu-pci,addr=2,xres=${width},yres=${height}`);
  args.push(...screenArguments(machine.screen));

  args.push('-drive', `if=none,id=disk,file=${FILES.disk},format=qcow2,discard=unmap`);
  args.push('-device', 'virtio-blk-pci,drive=disk,bootindex=1');
  if (machine.isTrial === true) args.push('-snapshot');

  args.push('-netdev', `user,id=net,hostfwd=tcp:127.0.0.1:${port}-:8080`);
  args.push('-device', 'virtio-net-pci,netdev=net,romfile=');
  args.push('-device', 'virtio-rng-pci');

  args.push('-device', 'virtio-tablet-pci', '-device', 'virtio-keyboard-pci');

  args.push('-chardev', `file,id=console,path=${FILES.console}`);
  for (const [index, path] of FILES.serial.entries())
    args.push('-chardev', `socket,id=serial${index + 1},path=${path},server=on,wait=off`);
  args.push(...own.serialLines);
  // The panel starts its virtual hardware where it finds this port, and nowhere else.
  args.push('-device', 'virtio-serial-pci');
  args.push('-chardev', `socket,id=gpio,path=${FILES.gpio},server=on,wait=off`);
  args.push('-device', 'virtserialport,id=gpio-port,chardev=gpio,name=faceplate.panel');
  args.push('-chardev', `socket,id=led,path=${FILES.led},server=on,wait=off`);
  args.push('-device', 'virtserialport,id=led-port,chardev=led,name=faceplate.led');

  args.push('-audiodev', `wav,id=sound,path=${FILES.sound}`);
  args.push('-device', 'intel-hda', '-device', 'hda-output,audiodev=sound');
  args.push('-device', 'i6300esb', '-action', 'watchdog=reset');
  // A port for a stick, which is plugged in by `device_add`.
  args.push('-device', 'qemu-xhci,id=usb');
  for (const path of [FILES.control, FILES.qmp]) args.push('-qmp', `unix:${path},server=on,wait=off`);
  args.push(...(machine.more ?? []));
  return args;
}

function screenArguments(screen: Machine['screen']): string[] {
  if (screen === 'window') return ['-display', 'gtk'];
  if (screen === 'none') return ['-display', 'none'];
  // The first free one.
  return ['-display', 'none', '-vnc', '127.0.0.1:0,to=99'];
}
