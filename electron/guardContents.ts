import type { WebContents } from 'electron';
import { placeOf } from '../server/host/mayShow.ts';
import type { Logger } from '../server/observe/log.ts';

/**
 * Keeps a frame tree where it may be, and from opening others; for each that ever comes to be.
 * @param allows whether its top frame may show this address
 */
export function guardContents(contents: WebContents, allows: (url: string) => boolean, log: Logger): void {
  const judge = (event: { preventDefault(): void; url: string; isMainFrame: boolean }) => {
    if (!event.isMainFrame || allows(event.url)) return;
    event.preventDefault();
    log.warn({ to: placeOf(event.url) }, 'navigation refused');
  };
  contents.on('will-frame-navigate', judge);
  contents.on('will-redirect', judge);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => {
    log.warn('window refused');
    return { action: 'deny' };
  });
}
