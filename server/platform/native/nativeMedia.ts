import type { MediaDriver } from '../../webrtc/driver.ts';
import type { Logger } from '../log.ts';
import { openBurstSocket } from './burstSocket.ts';
import { createNativeCipher } from './gcmCipher.ts';

const system: MediaDriver = { createCipher: createNativeCipher, openBurstSocket };

/**
 * Media with the system's help, part by part: when this machine has none, the portable way is used and the log says so
 * once. Nothing is loaded before the first use.
 * @param native the system's help; a different one in tests.
 */
export function nativeMedia(portable: MediaDriver, log: Logger, native = system): MediaDriver {
  const missing = new Set<string>();
  const orPortable = <T>(part: string, call: (driver: MediaDriver) => T): T => {
    if (!missing.has(part)) {
      try {
        return call(native);
      } catch (error) {
        missing.add(part);
        log.info(
          { part, reason: String(error) },
          'media: system acceleration is not available, media costs more CPU',
        );
      }
    }
    return call(portable);
  };
  return {
    createCipher: (key) => orPortable('cipher', (driver) => driver.createCipher(key)),
    openBurstSocket: () => orPortable('segmentation', (driver) => driver.openBurstSocket()),
  };
}
