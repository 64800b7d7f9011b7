import { failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';

test('should send a datagram as text and as hex bytes from the page', async ({ page, udpPeer }) => {
  await page.getByTestId('udp-host').fill(udpPeer.host);
  await page.getByTestId('udp-port').fill(String(udpPeer.port));
  await page.getByTestId('udp-payload').fill('PWR1\\r');
  await page.getByTestId('udp-send').click();
  await expect(page.getByTestId('udp-status')).toHaveText(`Sent 5 bytes to 127.0.0.1:${udpPeer.port}.`);

  await page.getByTestId('udp-mode-hex').check({ force: true });
  await page.getByTestId('udp-payload').fill('ff 00 0d A5');
  await page.getByTestId('udp-send').click();
  await expect(page.getByTestId('udp-status')).toContainText('Sent 4 bytes');

  await expect.poll(() => udpPeer.received.length).toBe(2);
  expect(udpPeer.received.map((datagram) => datagram.toString('latin1'))).toEqual([
    'PWR1\r',
    '\xff\x00\x0d\xa5',
  ]);
});

test('should send a datagram over HTTP', async ({ api, udpPeer }) => {
  const { host, port } = udpPeer;
  const answer = await api('/api/remote/udp/send', { host, port, hex: '48 65 79' });
  expect(answer).toEqual({ status: 200, body: { status: 'ok', host, port, sent: 3 } });
  await expect.poll(() => udpPeer.received.map(String)).toEqual(['Hey']);
});

test('security: should refuse a target outside the local network, in the page and over HTTP', async ({
  page,
  api,
}) => {
  await page.getByTestId('udp-host').fill('8.8.8.8');
  await page.getByTestId('udp-send').click();
  await expect(page.getByTestId('udp-status')).toContainText('(FORBIDDEN)');
  const answer = await api('/api/remote/udp/send', { host: '8.8.8.8', port: 53, text: 'x' });
  expect(answer).toEqual(failure(403, 'FORBIDDEN', /local network/));
});
