import { encode } from 'uqr';
import type { PanelFacts } from '../../contract/settingsPage.ts';
import { ownAddresses } from '../../platform/networks.ts';

/** The network addresses of this panel, and what runs on it. @param own its name, its port of HTTP, and the like */
export function panelFacts(own: Pick<PanelFacts, 'name' | 'language' | 'port' | 'versions'>): PanelFacts {
  const { port } = own;
  // Link-local IPv6 addresses need the name of the caller's own interface, so a person cannot use them.
  const found = ownAddresses().filter(({ isInternal, address }) => !isInternal && !/^fe80:/i.test(address));
  const addresses = ['IPv4', 'IPv6'].flatMap((family) =>
    found.filter((entry) => entry.family === family).map(({ address }) => address),
  );
  const [first = 'localhost'] = addresses;
  const url = `http://${first.includes(':') ? `[${first}]` : first}:${port}`;
  const qr = encode(url, { ecc: 'M', border: 2 }).data.map((row) =>
    row.map((isDark) => (isDark ? '1' : '0')).join(''),
  );
  return { ...own, addresses, url, qr };
}
