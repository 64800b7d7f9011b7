import type { PanelFacts } from '../../contract/settingsPage.ts';
import { panelUrl, reachableAddresses } from '../../platform/networks.ts';
import { qrRows } from '../qrCode.ts';
import type { PanelOnScreen } from '../recovery/waitingPage.ts';

/** What the panel knows of itself: its name, its port of HTTP, and the like. */
type Own = Pick<PanelFacts, 'name' | 'language' | 'port' | 'versions'>;

/**
 * The network addresses of this panel, and what runs on it.
 * @param pairingUrl what the QR code says: the address of the panel with a pairing code. Everyone who sees it can get a
 * token.
 */
export function panelFacts(own: Own, pairingUrl: string): PanelFacts {
  const { port } = own;
  return { ...own, addresses: reachableAddresses(), url: panelUrl(port), qr: qrRows(pairingUrl) };
}

/** What the waiting page says about this panel. */
export function panelOnScreen({
  name,
  language,
  port,
}: Pick<Own, 'name' | 'language' | 'port'>): PanelOnScreen {
  const manageUrl = reachableAddresses().length === 0 ? null : `${panelUrl(port)}/manage/`;
  return { name, language, manageUrl };
}
