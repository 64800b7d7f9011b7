import { hostname, networkInterfaces } from 'node:os';
import { encode } from 'uqr';
import type { PanelFacts } from '../../contract/settingsPage.ts';

/** Where this panel is reached on its network, and what runs on it. @param port of the HTTP server */
export function panelFacts(port: number, versions: Readonly<Record<string, string>>): PanelFacts {
  const name = hostname();
  const found = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    // Link-local IPv6 addresses need the name of the caller's own interface: nobody can type them.
    .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address));
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
