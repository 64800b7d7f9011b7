import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How @electron/fuses finds the switches in the program: this text, version 1, the count, and one letter each. */
export const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
export const SHIPPED = '101100111';

/**
 * Makes an unpacked Electron whose program only prints its arguments and ends with 7.
 * @returns its folder, for ELECTRON_OVERRIDE_DIST_PATH
 */
export function electronStandIn(work: string): string {
  const folder = join(work, 'electron');
  for (const name of ['resources', 'locales']) mkdirSync(join(folder, name), { recursive: true });
  for (const file of ['LICENSE', 'LICENSES.chromium.html', 'version', 'chrome-sandbox', 'locales/en-US.pak'])
    writeFileSync(join(folder, file), 'stand-in');
  const wire = Buffer.from(`${SENTINEL}\x01${String.fromCharCode(SHIPPED.length)}${SHIPPED}`);
  const program = [Buffer.from('#!/bin/sh\necho started "$@"\nexit 7\n'), wire, Buffer.alloc(64)];
  writeFileSync(join(folder, 'electron'), Buffer.concat(program), { mode: 0o755 });
  return folder;
}
