import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freeUdpPort } from '../../server/testing/freePort.ts';
import { selfSigned } from '../../server/testing/selfSigned.ts';
import { expect, test } from '../fixtures.ts';
import { amplifier, Device, projector } from '../peers/lineDevices.ts';
import { runRecipe } from '../peers/recipes.ts';

test('should switch a projector by PJLink', async ({ page }) => {
  await using device = await Device.socat(projector);
  const ask = (command: string) =>
    runRecipe(page, `return pjlink('127.0.0.1', '${command}', ${device.port})`);
  expect(await ask('POWR 1')).toBe('OK');
  expect(await ask('POWR ?')).toBe('0');
  expect(await ask('LAMP ?')).toBe('ERR1');
});

test('should set the volume of an amplifier by lines over TCP', async ({ page }) => {
  await using device = await Device.socat(amplifier);
  const told = await runRecipe(
    page,
    `const told = [];
    const device = await amplifier('127.0.0.1', (volume) => told.push(volume), ${device.port});
    await device.setVolume(7);
    while (told.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    await device.close();
    return told;`,
  );
  expect(told).toEqual([50, 7]);
});

test('should switch a relay by HTTP, which answers no CORS', async ({ page }) => {
  await using device = await Device.relay();
  const address = `127.0.0.1:${device.port}`;
  expect(await runRecipe(page, `return relay('${address}', true)`)).toBe(false);
  expect(await runRecipe(page, `return relay('${address}', false)`)).toBe(true);
  // A page by itself cannot.
  const fetched = runRecipe(page, `return fetch('http://${address}/rpc/Switch.Set?id=0&on=true')`);
  await expect(fetched).rejects.toThrow(/fetch/);
});

test('security: should ask a relay over TLS only after its certificate was trusted', async ({
  page,
  api,
}) => {
  const pair = selfSigned('IP:127.0.0.1');
  await using device = await Device.relay(pair);
  const { port } = device;
  const ask = () => runRecipe(page, `return relay('https://127.0.0.1:${port}', true)`);
  await expect(ask()).rejects.toThrow(pair.fingerprint);
  const place = { host: '127.0.0.1', port };
  const trust = await api('/api/manage/certificates/trust', { ...place, fingerprint: pair.fingerprint });
  expect(trust.status).toBe(200);
  expect(await ask()).toBe(false);
  await api('/api/manage/certificates/forget', place);
  await expect(ask()).rejects.toThrow(pair.fingerprint);
});

test('should set lights by Art-Net', async ({ page, udpPeer }) => {
  await runRecipe(page, `return artnet('127.0.0.1', 259, [255, 120, 1], ${udpPeer.port})`);
  await expect.poll(() => udpPeer.received.length).toBe(1);
  const expected = Buffer.from('Art-Net\0\x00\x50\x00\x0e\x00\x00\x03\x01\x00\x04\xff\x78\x01\x00', 'latin1');
  expect(udpPeer.received[0]).toEqual(expected);
});

test('should wake a computer', async ({ page, udpPeer }) => {
  await runRecipe(page, `return wake('00:11:22:33:44:55', '127.0.0.1', ${udpPeer.port})`);
  await expect.poll(() => udpPeer.received.length).toBe(1);
  expect(udpPeer.received[0]?.toString('hex')).toBe('ff'.repeat(6) + '001122334455'.repeat(16));
});

test('should hear a KNX installation in its multicast group', async ({ page, api }) => {
  const port = await freeUdpPort();
  await runRecipe(page, `window.told = []; await knx((write) => window.told.push(write), ${port})`);
  // 1/2/3 is switched on; 5/0/7 gets two bytes; a read request tells no value.
  const frames = [
    '061005300011' + '2900bce011050a03010081',
    '061005300013' + '2900bce0110528070300800c1a',
    '061005300011' + '2900bce011050a03010000',
  ];
  for (const frame of frames) {
    const bytes = frame.replaceAll(/../g, '\\x$&');
    const target = `UDP4-DATAGRAM:224.0.23.12:${port},ip-multicast-if=127.0.0.1`;
    await promisify(execFile)('bash', ['-c', `printf '${bytes}' | socat -u - ${target}`]);
  }
  await expect
    .poll(() => page.evaluate('window.told'))
    .toEqual([
      { group: '1/2/3', value: [1] },
      { group: '5/0/7', value: [12, 26] },
    ]);
  expect((await api('/api/remote/udp/unlisten', { port })).status).toBe(200);
  await runRecipe(page, `return container.call('udp.unlisten', { port: ${port} })`);
});
