import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { PtyLine } from '../../server/testing/ptyLine.ts';
import { apiOf, failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';

const port = '/dev/ttyS5';

async function lastReceived(page: Page) {
  return page.getByTestId('serial-received').last();
}

test('should send from the page and show what the device echoes', async ({ page }) => {
  await page.getByTestId('serial-listen').check();
  await expect(page.getByTestId('serial-state')).toHaveText('open');
  await page.getByTestId('serial-payload').fill('Hello\\r\\n');
  await page.getByTestId('serial-send').click();
  await expect(page.getByTestId('serial-status')).toHaveText('Sent 7 bytes.');
  await expect(page.getByTestId('serial-sent')).toContainText('48 65 6C 6C 6F 0D 0A');
  await expect(await lastReceived(page)).toContainText('48 65 6C 6C 6F 0D 0A');

  await page.getByTestId('serial-mode-hex').check({ force: true });
  await page.getByTestId('serial-payload').fill('ca fe');
  await page.getByTestId('serial-send').click();
  await expect(await lastReceived(page)).toContainText('CA FE');
  await page.getByTestId('serial-listen').uncheck();
  await expect(page.getByTestId('serial-state')).toHaveText('closed');
});

test('should show what the device on the line sends unasked', async ({ page }) => {
  await page.getByTestId('serial-port').selectOption('/dev/ttyS9');
  await page.getByTestId('serial-listen').check();
  await expect(page.getByTestId('serial-state')).toHaveText('open');
  await page.getByTestId('world-serial-port').selectOption('/dev/ttyS9');
  await page.getByTestId('world-serial-text').fill('Scene 3');
  await page.getByTestId('world-serial-send').click();
  await expect(await lastReceived(page)).toContainText('Scene 3');
  await page.getByTestId('serial-listen').uncheck();
  await expect(page.getByTestId('serial-state')).toHaveText('closed');
});

test('should write, read and close over HTTP, and hear the simulated peer', async ({ api }) => {
  const line = { port, baudRate: 9600 };
  const written = await api('/api/remote/serial/write', { ...line, hex: '02 ff 0D' });
  expect(written).toEqual({ status: 200, body: { status: 'ok', port, sent: 3 } });
  const echoed = await api('/api/remote/serial/read', { ...line, timeout: 5_000 });
  expect(echoed).toEqual({ status: 200, body: { port, hex: '02FF0D', data: '\x02\xff\r' } });

  await api('/api/remote/simulate', { part: 'serial', port, hex: '6F6B' });
  const heard = await api('/api/remote/serial/read', { ...line, timeout: 5_000 });
  expect(heard.body).toEqual({ port, hex: '6F6B', data: 'ok' });
  const nothing = await api('/api/remote/serial/read', { ...line, timeout: 0 });
  expect(nothing.body).toEqual({ port, hex: '', data: '' });

  for (let twice = 0; twice < 2; twice++) {
    const closed = await api('/api/remote/serial/close', { port });
    expect(closed).toEqual({ status: 200, body: { status: 'ok', port } });
  }
});

test.describe('on a real tty', () => {
  const line = { port, baudRate: 19_200 };

  test('should carry bytes to the other end and back, from the page and over HTTP', async ({
    startFaceplate,
    openDemo,
    dataDir,
  }) => {
    const pty = new PtyLine();
    await pty.plug();
    try {
      const board = await writeBoard(dataDir, pty.path);
      const service = await startFaceplate({ kiosk: true, args: ['--board', board] });
      const api = await apiOf(service);
      expect((await api('/api/remote/info')).body).toMatchObject({
        board: 'pty-board',
        parts: { [`serial:${port}`]: { driver: 'tty', path: pty.path, state: 'real', reason: null } },
      });
      const written = await api('/api/remote/serial/write', { ...line, hex: '00 11 ff' });
      expect(written).toEqual({ status: 200, body: { status: 'ok', port, sent: 3 } });
      await expect.poll(() => pty.received.toString('hex')).toBe('0011ff');
      const read = await api('/api/remote/serial/read', { ...line, timeout: 5_000 });
      expect(read.body).toMatchObject({ hex: '0011FF' });
      const simulated = await api('/api/remote/simulate', { part: 'serial', port, hex: '00' });
      expect(simulated).toEqual(failure(501, 'UNSUPPORTED_HARDWARE'));

      const page = await openDemo(service);
      await expect(page.getByTestId('board')).toHaveText('Panel hardware');
      await page.getByTestId('serial-baud').selectOption('19200');
      await page.getByTestId('serial-listen').check();
      await page.getByTestId('serial-payload').fill('over the wire');
      await page.getByTestId('serial-send').click();
      await expect(page.getByTestId('serial-received')).toContainText('over the wire');
      expect(pty.received.toString('latin1')).toContain('over the wire');
      await pty.peerSends(Buffer.from('and back'));
      await expect(await lastReceived(page)).toContainText('and back');
    } finally {
      await pty.close();
    }
  });

  test('should answer PORT_BUSY while another program holds the tty, HARDWARE_ERROR while it is unplugged', async ({
    startFaceplate,
    dataDir,
  }) => {
    const pty = new PtyLine();
    await pty.plug();
    try {
      const board = await writeBoard(dataDir, pty.path);
      const [holder, other] = await Promise.all([
        startFaceplate({ args: ['--board', board] }),
        startFaceplate({ args: ['--board', board] }),
      ]);
      const [holderApi, otherApi] = [await apiOf(holder), await apiOf(other)];
      const write = { ...line, hex: '01' };
      expect((await holderApi('/api/remote/serial/write', write)).status).toBe(200);
      expect(await otherApi('/api/remote/serial/write', write)).toEqual(failure(409, 'PORT_BUSY'));
      await holderApi('/api/remote/serial/close', { port });
      expect((await otherApi('/api/remote/serial/write', write)).status).toBe(200);

      await pty.unplug();
      await expect
        .poll(() => otherApi('/api/remote/serial/write', write))
        .toEqual(failure(502, 'HARDWARE_ERROR', /\b(ENOENT|EIO|ENXIO|ENODEV)\b/));
      await pty.plug();
      await expect.poll(async () => (await otherApi('/api/remote/serial/write', write)).status).toBe(200);
    } finally {
      await pty.close();
    }
  });
});

/** A board of one serial port. @returns the profile's path. */
async function writeBoard(folder: string, tty: string): Promise<string> {
  const path = join(folder, 'board.json');
  const serial = [{ port, label: 'RS-232', path: tty }];
  await writeFile(path, JSON.stringify({ name: 'pty-board', serial }));
  return path;
}
