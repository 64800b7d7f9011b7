import type { App, Certificate, Event, WebContents } from 'electron';
import { placeOf } from '../server/kiosk/mayShow.ts';
import type { Refusals } from '../server/kiosk/refusals.ts';

/**
 * Shows a server that asks for the client's certificate none: Electron would take the first one of the store, which
 * belongs to whoever installed it and not to the page. The Chromium host shows none either.
 * @returns the function that ends it
 */
export function refuseClientCertificates(app: App, refusals: Refusals): () => void {
  const refuse = (
    event: Event,
    _page: WebContents | null,
    url: string,
    _list: Certificate[],
    answer: (certificate?: Certificate) => void,
  ) => {
    event.preventDefault();
    refusals.tell('client certificate refused', { to: placeOf(url) });
    answer();
  };
  app.on('select-client-certificate', refuse);
  return () => void app.off('select-client-certificate', refuse);
}
