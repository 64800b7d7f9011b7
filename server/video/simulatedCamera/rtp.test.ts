import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PAYLOAD_LIMIT } from '../../webrtc/rtp/h264.ts';
import { interleaved, RtpSender } from './rtp.ts';

const HEADER_BYTES = 12;

function newSender(firstSequence = 1): RtpSender {
  return new RtpSender({ payloadType: 96, ssrc: 0xdeadbeef, firstSequence });
}

describe('RtpSender', () => {
  it('should send a small NAL unit as it is, with the marker on the last packet of the picture only', () => {
    const packets = newSender().packetsOf([Buffer.from([0x67, 1]), Buffer.from([0x65, 2, 3])], 0x1_0000_0005);
    assert.deepEqual(
      packets.map((packet) => packet.toString('hex')),
      ['806000010000' + '0005deadbeef6701', '80e000020000' + '0005deadbeef650203'],
    );
  });

  it('should cut a large NAL unit into fragments that join to the same bytes', () => {
    const nal = Buffer.alloc(2 * PAYLOAD_LIMIT + 700, 7);
    nal[0] = 0x65;
    const payloads = newSender()
      .packetsOf([nal], 0)
      .map((packet) => packet.subarray(HEADER_BYTES));
    assert.deepEqual(
      payloads.map((payload) => [payload[0], payload[1]]),
      [
        [0x7c, 0x85],
        [0x7c, 0x05],
        [0x7c, 0x45],
      ],
    );
    assert.ok(payloads.every((payload) => payload.length <= PAYLOAD_LIMIT));
    assert.deepEqual(Buffer.concat(payloads.map((payload) => payload.subarray(2))), nal.subarray(1));
  });

  it('should send a NAL unit of exactly the limit whole, and one byte more as two fragments', () => {
    assert.equal(newSender().packetsOf([Buffer.alloc(PAYLOAD_LIMIT, 1)], 0).length, 1);
    assert.equal(newSender().packetsOf([Buffer.alloc(PAYLOAD_LIMIT + 1, 1)], 0).length, 2);
  });

  it('should continue numbering past 65535', () => {
    const sender = newSender(65_535);
    const nal = Buffer.from([0x41, 1]);
    const numbers = [...sender.packetsOf([nal], 0), ...sender.packetsOf([nal], 0)].map((packet) =>
      packet.readUInt16BE(2),
    );
    assert.deepEqual(numbers, [65_535, 0]);
  });

  it('should report wall clock, media clock and counts, and its name', () => {
    const sender = newSender();
    sender.packetsOf([Buffer.from([0x41, 1, 2])], 0);
    const report = sender.senderReport(1_500, 90_000, 'me');
    assert.equal(report.readUInt32BE(8), 2_208_988_801);
    assert.equal(report.readUInt32BE(12), 0x8000_0000);
    assert.deepEqual(
      [16, 20, 24].map((offset) => report.readUInt32BE(offset)),
      [90_000, 1, 3],
    );
    assert.equal(report.toString('hex', 28), '81ca0003deadbeef01026d6500000000');
  });
});

describe('interleaved', () => {
  it('should put channel and length before the packet', () => {
    assert.equal(interleaved(3, Buffer.from([0xaa, 0xbb])).toString('hex'), '24030002aabb');
  });
});
