import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  GenericNack,
  PictureLossIndication,
  ReceiverEstimatedMaxBitrate,
  RtcpPacketConverter,
  RtcpPayloadSpecificFeedback,
  RtcpReceiverInfo,
  RtcpRrPacket,
  RtcpSourceDescriptionPacket,
  RtcpSrPacket,
  RtcpTransportLayerFeedback,
} from 'werift';
import {
  clockPointAt,
  parseFeedback,
  parseSenderReport,
  writeBitrateLimit,
  writeFullIntraRequest,
  writeGoodbye,
  writePictureLoss,
  writeReception,
  writeSenderReport,
} from './rtcp.ts';

const POINT = { ntpSeconds: 0xeeeeeeee, ntpFraction: 0x80000000, timestamp: 0xfffffff0 };

test('should write a sender report that another implementation reads', () => {
  const data = writeSenderReport(0xdeadbeef, POINT, { packets: 7, octets: 700 }, 'camera');
  const [report, description] = RtcpPacketConverter.deSerialize(data);
  assert.ok(report instanceof RtcpSrPacket);
  assert.equal(report.ssrc, 0xdeadbeef);
  assert.equal(report.senderInfo.rtpTimestamp, 0xfffffff0);
  assert.equal(report.senderInfo.ntpTimestamp, (0xeeeeeeeen << 32n) | 0x80000000n);
  assert.deepEqual([report.senderInfo.packetCount, report.senderInfo.octetCount], [7, 700]);
  assert.ok(description instanceof RtcpSourceDescriptionPacket);
  assert.equal(description.chunks[0]!.items[0]!.text, 'camera');
});

test('should read back what it wrote, for names of every length', () => {
  for (let length = 0; length < 9; length++) {
    const data = writeSenderReport(1, POINT, { packets: 0, octets: 0 }, 'x'.repeat(length));
    assert.equal(data.length % 4, 0);
    assert.deepEqual(parseSenderReport(data), POINT);
  }
});

test('should read the NACKs and the loss of another implementation', () => {
  const nack = new RtcpTransportLayerFeedback({
    feedback: new GenericNack({ senderSsrc: 1, mediaSourceSsrc: 0xabcdef01, lost: [65_535, 0, 3, 40] }),
  });
  const report = new RtcpRrPacket({
    ssrc: 1,
    reports: [
      new RtcpReceiverInfo({
        ssrc: 0xabcdef01,
        fractionLost: 64,
        packetsLost: 5,
        highestSequence: 1,
        jitter: 0,
        lsr: 0,
        dlsr: 0,
      }),
    ],
  });
  const feedback = parseFeedback(Buffer.concat([report.serialize(), nack.serialize()]));
  assert.deepEqual(feedback[0], { kind: 'report', ssrc: 0xabcdef01, lost: 5, lostShare: 0.25 });
  const [, missing] = feedback;
  assert.ok(missing?.kind === 'nack' && missing.ssrc === 0xabcdef01);
  assert.deepEqual(
    [...missing.sequences].sort((a, b) => a - b),
    [0, 3, 40, 65_535],
  );
});

test('should end at a packet that is cut short and never throw', () => {
  const whole = writeSenderReport(1, POINT, { packets: 0, octets: 0 }, 'name');
  for (let length = 0; length < whole.length; length++) {
    const cut = whole.subarray(0, length);
    assert.equal(parseSenderReport(cut) === undefined, length < 28);
    assert.deepEqual(parseFeedback(cut), []);
  }
});

test('should convert a Unix time to NTP', () => {
  assert.deepEqual(clockPointAt(1_500, 9), { ntpSeconds: 2_208_988_801, ntpFraction: 2 ** 31, timestamp: 9 });
});

test('should read requests for a key frame, PLI and FIR', () => {
  const pli = Buffer.from('81ce00020000000111223344', 'hex');
  const fir = Buffer.from('84ce0004000000010000000011223344070000ff', 'hex');
  assert.deepEqual(parseFeedback(Buffer.concat([pli, fir])), [
    { kind: 'keyFrame', ssrc: 0x11223344 },
    { kind: 'keyFrame', ssrc: 0x11223344 },
  ]);
  assert.deepEqual(parseFeedback(Buffer.from('81ce000100000001', 'hex')), []);
});

test('should write feedback that another implementation, and we ourselves, read', () => {
  const feedbackOf = (data: Buffer): object => {
    const [packet] = RtcpPacketConverter.deSerialize(data);
    assert.ok(packet instanceof RtcpPayloadSpecificFeedback);
    return packet.feedback;
  };
  const loss = feedbackOf(writePictureLoss(1, 0xfffffff2));
  assert.ok(loss instanceof PictureLossIndication);
  assert.deepEqual([loss.senderSsrc, loss.mediaSsrc], [1, 0xfffffff2]);
  assert.deepEqual(parseFeedback(writePictureLoss(1, 2)), [{ kind: 'keyFrame', ssrc: 2 }]);
  const intra = feedbackOf(writeFullIntraRequest(1, 2, 257));
  assert.partialDeepStrictEqual(intra, { senderSsrc: 1, fir: [{ ssrc: 2, sequenceNumber: 1 }] });
  assert.deepEqual(parseFeedback(writeFullIntraRequest(1, 2, 3)), [{ kind: 'keyFrame', ssrc: 2 }]);
  for (const bitrate of [64_000, 1_000_000, 2_000_000]) {
    const limit = feedbackOf(writeBitrateLimit(1, 2, bitrate));
    assert.ok(limit instanceof ReceiverEstimatedMaxBitrate);
    assert.ok(Math.abs(Number(limit.bitrate) - bitrate) < bitrate / 1000, `${limit.bitrate}`);
    assert.deepEqual(limit.ssrcFeedbacks, [2]);
  }
});

test('should write a receiver report on a stream, and a goodbye', () => {
  const data = writeReception(1, {
    ssrc: 2,
    highestSequence: 0x10005,
    lastReport: 0x89abcdef,
    delay: 65_536,
  });
  const [report] = RtcpPacketConverter.deSerialize(data);
  assert.ok(report instanceof RtcpRrPacket);
  const [block] = report.reports;
  assert.deepEqual(
    [report.ssrc, block?.ssrc, block?.highestSequence, block?.lsr, block?.dlsr, block?.packetsLost],
    [1, 2, 0x10005, 0x89abcdef, 65_536, 0],
  );
  assert.equal(writeGoodbye(0xabcdef01).toString('hex'), '81cb0001abcdef01');
});
