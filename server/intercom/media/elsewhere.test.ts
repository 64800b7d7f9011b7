import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { AesCmSession } from '../../webrtc/srtp/aesCm.ts';
import type { CallMedia, MediaOptions } from '../ports.ts';
import { CALL, description, RemoteParty, startFactory } from '../testing/media/remoteParty.ts';
import type { WeriftPage } from '../testing/media/weriftPage.ts';
import { mediaAddress } from './rtp/rtpLine.ts';

// Media of a call that come from another address than the signalling: 127.0.0.1 calls, 127.0.0.2 is named in the settings,
// 127.0.0.3 is on the panel's own network, and nobody named 127.0.0.9.
const NAMED = '127.0.0.2';
const NEARBY = '127.0.0.3';
const STRANGER = '127.0.0.9';
const elsewhere = {
  isNamed: (address: string) => address === NAMED,
  mayBeTaken: (address: string) => address === NAMED || address === NEARBY,
};
const KEY = Buffer.alloc(30, 7);

interface Started {
  readonly call: CallMedia;
  readonly page: WeriftPage;
  readonly clock: FakeClock;
  readonly taken: readonly string[];
  /** First bytes of all that the page heard. */
  readonly heard: () => number[];
  /** Packets that were dropped. */
  readonly dropped: () => number;
  /** Sends sound to the panel until it has been read, whether it was taken or not. */
  readonly says: (from: RemoteParty, byte: number, payloadType?: number) => Promise<void>;
  readonly answer: (sdp: string, ...parties: RemoteParty[]) => Promise<void>;
}

async function startCall(t: TestContext, options: Partial<MediaOptions> = {}): Promise<Started> {
  const clock = new FakeClock();
  const { factory, page } = await startFactory(t, clock);
  const call = await factory.open({ ...CALL, elsewhere, ...options });
  const taken: string[] = [];
  call.onElsewhere = (address) => taken.push(address);
  const heard = (): number[] => page.latest.received.audio.map(({ payload }) => payload[0]!);
  const dropped = (): number => (call as unknown as { dropped: number }).dropped;
  let timestamp = 0;
  return {
    call,
    page,
    clock,
    taken,
    heard,
    dropped,
    says: async (from, byte, payloadType = 0) => {
      const before = heard().length + dropped();
      timestamp += 160;
      from.send(payloadType, timestamp, Buffer.alloc(160, byte), { sequence: timestamp / 160 });
      await until(() => heard().length + dropped() > before, `the packet ${byte}`);
    },
    answer: async (sdp, ...parties) => {
      const answered = await call.answer(sdp);
      for (const party of parties) party.aimAt(answered);
      await until(() => page.connections.size > 0 && page.latest.isConnected, 'the page');
    },
  };
}

const described = (
  address: string,
  port: number,
  lines: readonly string[] = [],
  protocol = 'RTP/AVP',
): string => description({ port, formats: '0', lines, protocol }, undefined, [`c=IN IP4 ${address}`]);

test('should send to a described address that is named, and hear it from there at once', async (t) => {
  const { page, answer, says, heard, taken } = await startCall(t);
  const far = await RemoteParty.open(t, NAMED);
  await answer(described(NAMED, far.port), far);
  await says(far, 1);
  page.latest.send('audio', 0, Buffer.alloc(160, 2));
  await until(() => far.received.some(({ payload }) => payload[0] === 2), 'the microphone');
  assert.deepEqual([heard(), taken], [[1], []]);
});

test('security: should send nothing to a described address that nobody named', async (t) => {
  const { page, answer, clock } = await startCall(t);
  const [caller, third] = [await RemoteParty.open(t), await RemoteParty.open(t, NEARBY)];
  await answer(described(NEARBY, caller.port), caller, third);
  await clock.advance(100);
  page.latest.send('audio', 0, Buffer.alloc(160, 2));
  await until(() => caller.received.some(({ payload }) => payload[0] === 2), 'the caller itself gets it');
  assert.deepEqual(third.received, []);
});

for (const address of [NAMED, NEARBY]) {
  test(`should hear ${address} when the described address is silent for a second, for the rest of the call`, async (t) => {
    const { call, page, answer, says, heard, taken, clock } = await startCall(t);
    const [caller, far] = [await RemoteParty.open(t), await RemoteParty.open(t, address)];
    const sdp = described('127.0.0.1', caller.port);
    await answer(sdp, caller, far);
    await says(far, 1);
    await clock.advance(900);
    await says(caller, 2);
    await clock.advance(990);
    await says(far, 3);
    assert.deepEqual([heard(), taken], [[2], []]);
    await clock.advance(20);
    // Not with a payload type that nobody negotiated.
    await says(far, 4, 18);
    await says(far, 5);
    await says(far, 6);
    assert.deepEqual([heard(), taken], [[2, 5, 6], [address]]);
    // Receiving only: sound still goes to the described address.
    page.latest.send('audio', 0, Buffer.alloc(160, 7));
    await until(() => caller.received.some(({ payload }) => payload[0] === 7), 'the caller');
    assert.deepEqual(far.received, []);
    // No second switch: not to another one, and not back.
    const other = await RemoteParty.open(t, address === NAMED ? NEARBY : NAMED);
    await answer(sdp, other);
    await clock.advance(5_000);
    await says(other, 8);
    await says(caller, 9);
    await says(far, 10);
    assert.deepEqual([heard(), taken], [[2, 5, 6, 10], [address]]);
    // After a hold the same address is heard again, and no other one.
    await call.answer(described('0.0.0.0', caller.port));
    await answer(sdp, caller, far, other);
    await clock.advance(1_500);
    await says(other, 11);
    await says(far, 12);
    assert.deepEqual([heard().slice(4), taken], [[12], [address]]);
  });
}

test('security: should never hear an address that nobody named, however long the described one is silent', async (t) => {
  const { answer, says, heard, taken, clock, dropped } = await startCall(t);
  const [caller, stranger] = [await RemoteParty.open(t), await RemoteParty.open(t, STRANGER)];
  await answer(described('127.0.0.1', caller.port), caller, stranger);
  await clock.advance(60_000);
  for (let i = 0; i < 5; i++) await says(stranger, 1);
  await says(caller, 2);
  assert.deepEqual([heard(), taken, dropped()], [[2], [], 5]);
});

test('security: should hear nobody else where no list is given, as in an announcement', async (t) => {
  const { answer, says, heard, clock } = await startCall(t, {
    elsewhere: { isNamed: () => false, mayBeTaken: () => false },
  });
  const [caller, far] = [await RemoteParty.open(t), await RemoteParty.open(t, NAMED)];
  await answer(described('127.0.0.1', caller.port), caller, far);
  await clock.advance(60_000);
  await says(far, 1);
  assert.deepEqual(heard(), []);
});

test('security: should take whose packet authenticates when there are keys, and nobody by a list', async (t) => {
  const { answer, says, heard, taken, clock, dropped } = await startCall(t, { secure: true });
  const [caller, named, far] = [
    await RemoteParty.open(t),
    await RemoteParty.open(t, NAMED),
    await RemoteParty.open(t, STRANGER),
  ];
  const crypto = [`a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY.toString('base64')}`];
  await answer(described('127.0.0.1', caller.port, crypto, 'RTP/SAVP'), caller, named, far);
  await clock.advance(2_000);
  await says(named, 1);
  assert.deepEqual([heard(), taken], [[], []]);
  const keys = new AesCmSession('AES_CM_128_HMAC_SHA1_80', KEY);
  const packet = (sequence: number, byte: number): Buffer => {
    const header = Buffer.alloc(12);
    header[0] = 0x80;
    header.writeUInt16BE(sequence, 2);
    header.writeUInt32BE(sequence * 160, 4);
    header.writeUInt32BE(77, 8);
    return keys.protectRtp(Buffer.concat([header, Buffer.alloc(160, byte)]));
  };
  far.sendRaw(packet(1, 5));
  await until(() => heard().length === 1, 'the packet with the right key');
  assert.deepEqual([heard(), taken], [[5], [STRANGER]]);
  const before = dropped();
  caller.sendRaw(packet(2, 6));
  await until(() => dropped() > before, 'no second switch');
});

test('should send to a named private address behind a public one, but never to itself', () => {
  const at = (address: string, host: string, isNamed: boolean): string =>
    mediaAddress(address, { host, mayBeElsewhere: false, isNamed }).address;
  assert.equal(at('10.0.0.7', '203.0.113.1', true), '10.0.0.7');
  assert.equal(at('10.0.0.7', '203.0.113.1', false), '203.0.113.1');
  assert.equal(at('127.0.0.1', '203.0.113.1', true), '203.0.113.1');
  assert.throws(() => at('239.1.1.1', '203.0.113.1', true), { code: 'INVALID_REQUEST' });
});
