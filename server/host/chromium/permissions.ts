import type { Logger } from '../../observe/log.ts';
import type { CdpSend } from './cdpProtocol.ts';

/** What a trusted page may use without being asked. Chromium denies such an origin everything not named. */
const PERMISSIONS = [
  'audioCapture',
  'videoCapture',
  'speakerSelection',
  'wakeLockScreen',
  'clipboardSanitizedWrite',
  'durableStorage',
  'localNetworkAccess',
  'localNetwork',
  'loopbackNetwork',
];

/** Lets the pages of an origin use camera, microphone and the like. */
export async function grantPermissions(send: CdpSend, origin: string, log: Logger): Promise<void> {
  await send('Browser.grantPermissions', { origin, permissions: PERMISSIONS }).catch((error: Error) =>
    log.warn({ err: error, origin }, 'the page gets no camera and microphone'),
  );
}
