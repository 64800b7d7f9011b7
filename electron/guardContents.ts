import type { WebContents } from 'electron';
import type { HostPolicy } from '../server/host/host.ts';
import { mayShow, placeOf } from '../server/host/mayShow.ts';
import type { Logger } from '../server/observe/log.ts';

/** Keeps a frame tree where the policy allows it, and from opening others; for each that ever comes to be. */
export function guardContents(contents: WebContents, policy: HostPolicy, log: Logger): void {
  const judge = (event: { preventDefault(): void; url: string; isMainFrame: boolean }) => {
    if (!event.isMainFrame || mayShow(policy, event.url)) return;
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
