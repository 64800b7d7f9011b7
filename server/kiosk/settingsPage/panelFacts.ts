import { hostname } from 'node:os';
import { encode } from 'uqr';
import type { PanelFacts } from '../../contract/settingsPage.ts';
import { ownAddresses } from '../../platform/networks.ts';

/** The network addresses of this panel, and what runs on it. @param port of the HTTP server */
export function panelFacts(port: number, versions: Readonly<Record<string, string>>): PanelFacts {
  const name = hostname();
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
  return { name, port, addresses, url, qr, versions: { ...versions } };
}
