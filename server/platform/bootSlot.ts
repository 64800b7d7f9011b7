import { readFileSync } from 'node:fs';

/** The two slots of a disk image; each holds a whole version of the panel. */
export type Slot = 'A' | 'B';

/**
 * The slot that this machine was booted from, as the boot loader passed it to the kernel; null without our image.
 * @param path the kernel's command line (proc(5))
 */
export function bootSlot(path = '/proc/cmdline'): Slot | null {
  let line = '';
  try {
    line = readFileSync(path, 'utf8');
  } catch {
    // Without /proc there is no slot either.
  }
  return (/(?:^|\s)rauc\.slot=([AB])(?:\s|$)/.exec(line)?.[1] as Slot | undefined) ?? null;
}

/** The other one. */
export function otherSlot(slot: Slot): Slot {
  return slot === 'A' ? 'B' : 'A';
}

/** Names this boot of the machine (proc_sys_kernel(5)); null without /proc. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
