import type { LoadURLOptions, PostBody, WebContents } from 'electron';
import { placeOf } from '../server/kiosk/mayShow.ts';
import type { Refusals } from '../server/kiosk/refusals.ts';

/**
 * Keeps each frame tree, also every new one, at allowed addresses and from opening windows. What a page wants to open
 * in a new window opens in its own. No page keeps its window.
 * @param allows whether its top frame may show this address
 */
export function guardContents(
  contents: WebContents,
  allows: (url: string) => boolean,
  refusals: Refusals,
): void {
  const judge = (event: { preventDefault(): void; url: string; isMainFrame: boolean }) => {
    if (!event.isMainFrame || allows(event.url)) return;
    event.preventDefault();
    refusals.tell('navigation refused', { to: placeOf(event.url) });
  };
  contents.on('will-frame-navigate', judge);
  contents.on('will-redirect', judge);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  // A page must not delay its own leaving.
  contents.on('will-prevent-unload', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url, referrer, postBody }) => {
    refusals.tell('window refused', { to: placeOf(url) });
    if (allows(url))
      // The window reports a page that cannot be loaded.
      contents.loadURL(url, { httpReferrer: referrer, ...posted(postBody) }).catch(() => {});
    return { action: 'deny' };
  });
}

/** The form that the new window should have sent. */
function posted(body: PostBody | undefined): LoadURLOptions {
  if (!body) return {};
  const { contentType, boundary, data } = body;
  const type = boundary === undefined ? contentType : `${contentType}; boundary=${boundary}`;
  return { postData: data, extraHeaders: `Content-Type: ${type}` };
}
