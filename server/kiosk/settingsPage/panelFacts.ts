import { hostname } from 'node:os';
import type { PanelFacts } from '../../contract/settingsPage.ts';
import { ownAddresses } from '../../platform/networks.ts';
import { qrRows } from '../qrCode.ts';
import type { PanelOnScreen } from '../recovery/waitingPage.ts';

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
  return { name, port, addresses, url, qr: qrRows(url), versions: { ...versions } };
}

/** What the waiting page says about this panel. @param port of the HTTP server */
export function panelOnScreen(port: number): PanelOnScreen {
  const { name, addresses, url } = panelFacts(port, {});
  return { name, language: 'en', manageUrl: addresses.length === 0 ? null : `${url}/manage/` };
}
