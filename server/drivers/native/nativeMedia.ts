import type { MediaDriver } from '../../media/driver.ts';
import type { Logger } from '../../observe/log.ts';
import { openBurstSocket } from './burstSocket.ts';
import { createNativeCipher } from './gcmCipher.ts';

/**
 * Media with the system's help, part by part: where this machine has none, the portable way is used and the log says so
 * once. Nothing is loaded before the first use.
 */
export function nativeMedia(portable: MediaDriver, log: Logger): MediaDriver {
  const missing = new Set<string>();
  const orPortable = <T>(part: string, native: () => T, other: () => T): T => {
    if (missing.has(part)) return other();
    try {
      return native();
    } catch (error) {
      missing.add(part);
      log.info(
        { part, reason: String(error) },
        'media goes without this help of the system; it costs more CPU',
      );
      return other();
    }
  };
  return {
    createCipher: (key) =>
      orPortable(
        'cipher',
        () => createNativeCipher(key),
        () => portable.createCipher(key),
      ),
    openBurstSocket: () => orPortable('segmentation', openBurstSocket, () => portable.openBurstSocket()),
  };
}
