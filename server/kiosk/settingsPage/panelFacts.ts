import { panelUrl, reachableAddresses, type WebPorts } from '../../platform/net/addresses.ts';
import { qrRows } from '../qrCode.ts';
import type { PanelOnScreen } from '../recovery/waitingPage.ts';
import type { PanelFacts } from './contract.ts';

/** What the panel knows of itself: its name, its ports, and the like. */
type Own = Pick<PanelFacts, 'name' | 'language' | 'versions'> & { readonly web: WebPorts };

/**
 * The network addresses of this panel, and what runs on it.
 * @param pairingUrl what the QR code says: the address of the panel with a pairing code. Everyone who sees it can get a
 * token.
 */
export function panelFacts({ web, ...own }: Own, pairingUrl: string): PanelFacts {
  const port = web.securePort ?? web.port;
  return { ...own, port, addresses: reachableAddresses(), url: panelUrl(web), qr: qrRows(pairingUrl) };
}

/** What the waiting page says about this panel. */
export function panelOnScreen({
  name,
  language,
  web,
}: Pick<Own, 'name' | 'language' | 'web'>): PanelOnScreen {
  const manageUrl = reachableAddresses().length === 0 ? null : `${panelUrl(web)}/manage/`;
  return { name, language, manageUrl };
}
