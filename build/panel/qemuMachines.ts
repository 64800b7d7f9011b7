import type { Architecture } from '../image/architectures.ts';

/** What differs between the virtual panels: the machine and its firmware. */
interface QemuMachine {
  readonly program: string;
  /** Arguments for the machine itself. */
  readonly machine: readonly string[];
  /** Whether tables of ACPI describe it to the kernel; else a device tree does. */
  readonly hasAcpi: boolean;
  /** The processor to emulate where KVM does not work. */
  readonly processor: string;
  /** The EFI firmware of Debian's and Ubuntu's packages, and what it keeps its variables in. */
  readonly firmware: { readonly code: string; readonly variables: string };
  /** Arguments for the console and the two other serial lines, whose far ends have the names `console`, `serial1` and `serial2`. */
  readonly serialLines: readonly string[];
}

const serial = (name: string) => ['-serial', `chardev:${name}`];
const pciSerial = (name: string) => ['-device', `pci-serial,chardev=${name}`];

export const qemuMachines: Readonly<Record<Architecture, QemuMachine>> = {
  amd64: {
    program: 'qemu-system-x86_64',
    machine: ['-machine', 'q35'],
    hasAcpi: true,
    // Without AVX: QEMU emulates wide registers slowly, and programs use them where they are.
    processor: 'Nehalem',
    firmware: { code: '/usr/share/OVMF/OVMF_CODE_4M.fd', variables: '/usr/share/OVMF/OVMF_VARS_4M.fd' },
    serialLines: ['console', 'serial1', 'serial2'].flatMap(serial),
  },
  arm64: {
    program: 'qemu-system-aarch64',
    // Without ACPI the kernel takes the device tree, as on real boards: only the device tree has pins and clock.
    machine: ['-machine', 'virt,gic-version=3,acpi=off'],
    hasAcpi: false,
    // Without pointer authentication, which is slow to emulate.
    processor: 'cortex-a72',
    firmware: { code: '/usr/share/AAVMF/AAVMF_CODE.fd', variables: '/usr/share/AAVMF/AAVMF_VARS.fd' },
    // The machine has one line, ttyAMA0. ttyS0 leads nowhere, so that the others have the same names as on amd64.
    serialLines: [
      ...serial('console'),
      ...['-chardev', 'null,id=nowhere'],
      ...['nowhere', 'serial1', 'serial2'].flatMap(pciSerial),
    ],
  },
};
