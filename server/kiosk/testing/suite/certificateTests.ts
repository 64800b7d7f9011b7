import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { selfSigned } from '../../../testing/selfSigned.ts';
import type { HostCertificates } from '../../host.ts';
import { type TestKiosk, trustsNobody, until } from '../testKiosk.ts';
import type { OpenKiosk } from './openKiosk.ts';

/** Pins as the service keeps them: for one host and one port. */
class Pins {
  readonly #pinned = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #onForgotten = new Set<() => void>();
  readonly certificates: HostCertificates = {
    ...trustsNobody,
    mayTrust: async (server) => this.#has(server),
    judgeShown: (server) => (this.#has(server) ? 'trusted' : 'refused'),
    onTrusted: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
    onForgotten: (listener) => {
      this.#onForgotten.add(listener);
      return () => this.#onForgotten.delete(listener);
    },
  };

  #has({ host, port }: { readonly host: string; readonly port: number }): boolean {
    return this.#pinned.has(`${host}:${port}`);
  }

  trust(place: string): void {
    this.#pinned.add(place);
    for (const tell of this.#listeners) tell();
  }

  forget(place: string): void {
    this.#pinned.delete(place);
    for (const tell of this.#onForgotten) tell();
  }
}

/** Servers whose certificate the browser does not trust, while people trust and forget them. */
export function certificateTests(open: OpenKiosk): void {
  describe('certificates that the browser does not trust', () => {
    const pins = new Pins();
    let kiosk: TestKiosk;
    const servers: Server[] = [];
    const asked: string[] = [];
    before(async () => {
      kiosk = await open('/', { '/': '<title>open</title>' }, { certificates: pins.certificates });
      kiosk.mayNavigate = () => true;
      const pair = selfSigned('DNS:p1.localhost');
      for (const name of ['first', 'second']) {
        const server = createServer(pair, ({ url }, response) => {
          asked.push(`${name}${url}`);
          response.setHeader('cache-control', 'no-store');
          response.setHeader('access-control-allow-origin', '*');
          response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${name}</title>`);
        });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        servers.push(server);
      }
    });
    after(async () => {
      await kiosk?.[Symbol.asyncDispose]();
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    });
    const place = (index: number) => `p1.localhost:${(servers[index]!.address() as AddressInfo).port}`;
    const waits = () => until(() => kiosk.host.pageState().state === 'waiting', 'the refusal');

    test('should be shown as soon as they are trusted, and their page with them', async () => {
      await kiosk.host.navigate(`https://${place(0)}/`);
      await waits();
      assert.deepEqual(asked, []);
      pins.trust(place(0));
      await kiosk.untilTrue(`document.title === 'first'`);
    });

    test('security: should be trusted at one port only', async () => {
      const other = `fetch('https://${place(1)}/').then(() => 'read', () => 'refused')`;
      assert.equal(await kiosk.evaluate(other), 'refused');
      assert.ok(asked.every((request) => request.startsWith('first')));
    });

    test('security: should be refused as soon as they are forgotten', async () => {
      pins.forget(place(0));
      asked.length = 0;
      await kiosk.host.reload();
      await waits();
      // Chromium asks once more over the connection that it has, and shows nothing of the answer.
      if (kiosk.host.kind === 'electron') assert.deepEqual(asked, []);
    });
  });
}
