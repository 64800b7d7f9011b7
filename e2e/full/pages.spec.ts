import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';

test('should give a page by http its microphone where its origin counts as secure', async ({
  page: insecure,
  api,
  openPage,
  startFaceplate,
}) => {
  const address = Object.values(networkInterfaces())
    .flat()
    .find((entry) => entry?.family === 'IPv4' && !entry.internal)?.address;
  test.skip(address === undefined, 'needs an address that is not loopback');
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>dashboard</title>');
  }).listen(0, address);
  await once(server, 'listening');
  try {
    const origin = `http://${address}:${(server.address() as AddressInfo).port}`;
    const ask = async (page: Page) => {
      await expect(page).toHaveTitle('dashboard');
      return page.evaluate(() =>
        isSecureContext
          ? navigator.mediaDevices.getUserMedia({ audio: true }).then(
              (stream) => stream.getTracks().length,
              (error: Error) => error.name,
            )
          : 'insecure',
      );
    };
    await api('/api/manage/settings', { kiosk: { url: `${origin}/` } }, { method: 'PATCH' });
    expect(await ask(insecure)).toBe('insecure');
    const env = {
      FACEPLATE_KIOSK_URL: `${origin}/`,
      FACEPLATE_KIOSK_FAKE_MEDIA: 'true',
      FACEPLATE_KIOSK_SECURE_ORIGINS: origin,
    };
    expect(await ask(await openPage(await startFaceplate({ kiosk: true, env })))).toBe(1);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
