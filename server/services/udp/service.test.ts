import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import type { LocalNetwork, UdpDriver } from './driver.ts';
import { isLocalTarget } from './localTargets.ts';
import { UdpService } from './service.ts';

const context = { signal: new AbortController().signal };

class FakeSocket implements UdpDriver {
  readonly name = 'fake';
  readonly sent: { hex: string; port: number; host: string }[] = [];
  networks: LocalNetwork[] = [];
  fails: Error | undefined;

  async send(bytes: Uint8Array, port: number, host: string): Promise<void> {
    if (this.fails) throw this.fails;
    this.sent.push({ hex: Buffer.from(bytes).toString('hex'), port, host });
  }

  localNetworks(): readonly LocalNetwork[] {
    return this.networks;
  }

  async stop(): Promise<void> {}
}

describe('UDP targets (security)', () => {
  const none = () => [];
  for (const host of [
    ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
    ['169.254.0.1', '169.254.255.255', '127.0.0.1', '127.255.255.255', '255.255.255.255'],
    ['224.0.0.0', '224.0.0.251', '239.255.255.255'],
  ].flat()) {
    test(`should allow ${host}`, () => assert.ok(isLocalTarget(host, none)));
  }
  for (const host of [
    ['8.8.8.8', '1.1.1.1', '0.0.0.0', '9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0'],
    ['192.167.255.255', '192.169.0.0', '169.253.255.255', '169.255.0.0', '126.255.255.255', '128.0.0.0'],
    ['223.255.255.255', '240.0.0.0', '255.255.255.254', '100.64.0.1', '203.0.113.5'],
  ].flat()) {
    test(`should refuse ${host}`, () => assert.ok(!isLocalTarget(host, none)));
  }

  test('should allow a public network that the panel itself is on, with its directed broadcast', () => {
    const on = () => [{ address: '203.0.113.77', prefixLength: 25 }];
    assert.ok(isLocalTarget('203.0.113.1', on));
    assert.ok(isLocalTarget('203.0.113.127', on));
    assert.ok(!isLocalTarget('203.0.113.128', on));
  });
});

describe('UDP service', () => {
  test('should send hex and answer as the contract says', async () => {
    const driver = new FakeSocket();
    const udp = new UdpService({ driver });
    const answer = await udp.send({ host: '192.168.1.9', port: 9, hex: 'aB 01  ff' }, context);
    assert.deepEqual(answer, { status: 'ok', host: '192.168.1.9', port: 9, sent: 3 });
    assert.deepEqual(driver.sent, [{ hex: 'ab01ff', port: 9, host: '192.168.1.9' }]);
  });

  test('should send text as UTF-8 and count its bytes', async () => {
    const driver = new FakeSocket();
    const answer = await new UdpService({ driver }).send({ host: '10.0.0.1', port: 9, text: 'é€' }, context);
    assert.equal(answer.sent, 5);
    assert.equal(driver.sent[0]?.hex, 'c3a9e282ac');
  });

  test('should refuse targets outside the local network with FORBIDDEN and send nothing (security)', async () => {
    const driver = new FakeSocket();
    const udp = new UdpService({ driver });
    await assert.rejects(udp.send({ host: '8.8.8.8', port: 53, hex: '00' }, context), {
      code: 'FORBIDDEN',
      message: /8\.8\.8\.8/,
    });
    assert.deepEqual(driver.sent, []);
    driver.networks = [{ address: '8.8.8.1', prefixLength: 24 }];
    await udp.send({ host: '8.8.8.8', port: 53, hex: '00' }, context);
    assert.equal(driver.sent.length, 1);
  });

  test('should refuse more than 65,507 bytes, naming the field', async () => {
    const udp = new UdpService({ driver: new FakeSocket() });
    const target = { host: '127.0.0.1', port: 9 };
    assert.equal((await udp.send({ ...target, hex: '00'.repeat(65_507) }, context)).sent, 65_507);
    await assert.rejects(udp.send({ ...target, hex: '00'.repeat(65_508) }, context), {
      code: 'INVALID_REQUEST',
      field: 'hex',
    });
    await assert.rejects(udp.send({ ...target, text: '€'.repeat(21_836) }, context), {
      code: 'INVALID_REQUEST',
      field: 'text',
    });
  });

  test('should answer HARDWARE_ERROR with the errno', async () => {
    const driver = new FakeSocket();
    driver.fails = errnoError('ENETUNREACH', 'send');
    await assert.rejects(new UdpService({ driver }).send({ host: '10.0.0.1', port: 9, hex: '' }, context), {
      code: 'HARDWARE_ERROR',
      message: /ENETUNREACH/,
    });
  });

  test('should stop twice and before start, and refuse calls afterwards', async () => {
    const udp = new UdpService({ driver: new FakeSocket() });
    await udp.stop();
    await udp.start();
    await udp.stop();
    await udp.stop();
    await assert.rejects(udp.send({ host: '10.0.0.1', port: 9, hex: '' }, context), {
      code: 'SHUTTING_DOWN',
    });
  });
});
