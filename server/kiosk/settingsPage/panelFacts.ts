import { hostname } from 'node:os';
import { encode } from 'uqr';
import type { PanelFacts } from '../../contract/settingsPage.ts';
import { panelUrl, reachableAddresses } from '../../platform/networks.ts';

interface FactsOptions {
  /** Of the HTTP server. */
  readonly port: number;
  readonly versions: Readonly<Record<string, string>>;
  /** What the QR code says: the address of the panel with a pairing code. Everyone who sees it can get a token. */
  readonly pairingUrl: string;
}

/** The network addresses of this panel, and what runs on it. */
export function panelFacts({ port, versions, pairingUrl }: FactsOptions): PanelFacts {
  const qr = encode(pairingUrl, { ecc: 'M', border: 2 }).data.map((row) =>
    row.map((isDark) => (isDark ? '1' : '0')).join(''),
  );
  return {
    name: hostname(),
    port,
    addresses: reachableAddresses(),
    url: panelUrl(port),
    qr,
    versions: { ...versions },
  };
}
