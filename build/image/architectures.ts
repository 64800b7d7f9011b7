/** The processors that images are made for, by Debian's names. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** What differs between the images. */
interface ArchitectureFacts {
  /** GRUB's name of the platform, and the file that EFI firmware looks for on any disk (UEFI, 3.5.1.1). */
  readonly grub: { readonly platform: string; readonly file: string };
  /** The kernel of Debian. */
  readonly kernel: string;
  /** Firmware for the chips that stand on such boards and cards. */
  readonly firmware: readonly string[];
  /** Tools of the toolbox for this architecture alone. */
  readonly tools: readonly string[];
  /** Whether programs of the image need an emulator on the machine that makes it, which is amd64. */
  readonly isForeign: boolean;
}

/** Wi-Fi cards and chips; without it most of them stay silent. */
const WIRELESS = [
  'firmware-atheros',
  'firmware-brcm80211',
  'firmware-iwlwifi',
  'firmware-mediatek',
  'firmware-realtek',
  'wireless-regdb',
];

export const architectureFacts: Readonly<Record<Architecture, ArchitectureFacts>> = {
  amd64: {
    grub: { platform: 'x86_64-efi', file: 'BOOTX64.EFI' },
    kernel: 'linux-image-amd64',
    firmware: [...WIRELESS, 'firmware-amd-graphics', 'firmware-intel-graphics'],
    tools: ['grub-efi-amd64-bin'],
    isForeign: false,
  },
  arm64: {
    grub: { platform: 'arm64-efi', file: 'BOOTAA64.EFI' },
    kernel: 'linux-image-arm64',
    firmware: WIRELESS,
    tools: ['grub-efi-arm64-bin:arm64', 'qemu-user'],
    isForeign: true,
  },
};

/** Reads the name of an architecture; undefined where there is none of this name. */
export function architectureOf(name: string): Architecture | undefined {
  return ARCHITECTURES.find((each) => each === name);
}
