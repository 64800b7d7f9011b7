import { frameScript } from '../server/kiosk/chromium/guards/pageScript.ts';
import type { SendTo } from '../server/kiosk/chromium/live/target.ts';
import { isOldElectron } from '../server/kiosk/chromium/process/askedOnce.ts';

/**
 * The guards of frames that get no preload script, as those of a page's own process before Electron 35 (see
 * `isOldElectron`). What they refuse there is not reported, and who asks a person something is told no.
 */
export async function guardFrames(send: SendTo): Promise<void> {
  if (!isOldElectron) return;
  const source = `if (window !== window.top) {\n${frameScript()}}`;
  await send('Page.addScriptToEvaluateOnNewDocument', { source });
}
