import { hostname } from 'node:os';
import type { PanelFacts } from '../../contract/settingsPage.ts';
import { panelUrl, reachableAddresses } from '../../platform/networks.ts';
import { qrRows } from '../qrCode.ts';
import type { PanelOnScreen } from '../recovery/waitingPage.ts';

interface FactsOptions {
  /** Of the HTTP server. */
  readonly port: number;
  readonly versions: Readonly<Record<string, string>>;
  /** What the QR code says: the address of the panel with a pairing code. Everyone who sees it can get a token. */
  readonly pairingUrl: string;
}

/** The network addresses of this panel, and what runs on it. */
export function panelFacts({ port, versions, pairingUrl }: FactsOptions): PanelFacts {
  return {
    name: hostname(),
    port,
    addresses: reachableAddresses(),
    url: panelUrl(port),
    qr: qrRows(pairingUrl),
    versions: { ...versions },
  };
}

/** What the waiting page says about this panel. @param port of the HTTP server */
export function panelOnScreen(port: number): PanelOnScreen {
  const manageUrl = reachableAddresses().length === 0 ? null : `${panelUrl(port)}/manage/`;
  return { name: hostname(), language: 'en', manageUrl };
}
