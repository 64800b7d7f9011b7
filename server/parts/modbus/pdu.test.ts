import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  findAnswer,
  isAnswer,
  readRequest,
  rtuFrame,
  throwException,
  valuesOf,
  whatIsWrong,
  writeRequest,
} from './pdu.ts';
import { TcpFrames, tcpFrame } from './tcpMaster.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

describe('requests and answers as the specification shows them', () => {
  // Modbus application protocol 1.1b3, the examples of sections 6.1 to 6.12.
  const examples = [
    { request: readRequest('coil', 19, 19), sent: '01 0013 0013', answer: '01 03 CD6B05' },
    { request: readRequest('discrete', 196, 22), sent: '02 00C4 0016', answer: '02 03 ACDB35' },
    { request: readRequest('holding', 107, 3), sent: '03 006B 0003', answer: '03 06 022B00000064' },
    { request: readRequest('input', 8, 1), sent: '04 0008 0001', answer: '04 02 000A' },
    { request: writeRequest('coil', 172, [1]), sent: '05 00AC FF00', answer: '05 00AC FF00' },
    { request: writeRequest('holding', 1, [3]), sent: '06 0001 0003', answer: '06 0001 0003' },
    {
      request: writeRequest('coil', 19, [1, 0, 1, 1, 0, 0, 1, 1, 1, 0]),
      sent: '0F 0013 000A 02 CD01',
      answer: '0F 0013 000A',
    },
    {
      request: writeRequest('holding', 1, [10, 258]),
      sent: '10 0001 0002 04 000A0102',
      answer: '10 0001 0002',
    },
  ];
  for (const { request, sent, answer } of examples) {
    test(`should be ${sent}`, () => {
      assert.deepEqual(request.pdu, bytes(sent));
      assert.ok(isAnswer(request, bytes(answer)));
      assert.ok(!isAnswer(request, bytes(`${answer}00`)));
      assert.ok(!isAnswer(request, bytes(answer).slice(0, -1)));
    });
  }

  test('should read the values in order', () => {
    assert.deepEqual(valuesOf('holding', 3, bytes('03 06 022B00000064')), [555, 0, 100]);
    const bits = valuesOf('coil', 19, bytes('01 03 CD6B05'));
    assert.equal(bits.join(''), '1011001111010110101');
  });

  test('should not take the answer of another function, or to another write', () => {
    assert.ok(!isAnswer(readRequest('input', 8, 1), bytes('03 02 000A')));
    assert.ok(!isAnswer(writeRequest('holding', 1, [3]), bytes('06 0001 0004')));
    assert.ok(!isAnswer(readRequest('input', 8, 1), bytes('84')));
  });

  for (const [code, name] of [
    [1, 'ILLEGAL_FUNCTION'],
    [2, 'ILLEGAL_DATA_ADDRESS'],
    [3, 'ILLEGAL_DATA_VALUE'],
    [4, 'SERVER_DEVICE_FAILURE'],
    [5, 'ACKNOWLEDGE'],
    [6, 'SERVER_DEVICE_BUSY'],
    [8, 'MEMORY_PARITY_ERROR'],
    [10, 'GATEWAY_PATH_UNAVAILABLE'],
    [11, 'GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND'],
    [99, 'EXCEPTION_99'],
  ] as const) {
    test(`should name exception ${code}`, () => {
      const answer = Uint8Array.of(0x83, code);
      assert.ok(isAnswer(readRequest('holding', 0, 1), answer));
      const refused = { code: 'HARDWARE_ERROR', message: `Unit 1 refused the request: ${name}.` };
      assert.throws(() => throwException(answer, 'Unit 1'), refused);
    });
  }
});

describe('frames of a serial line', () => {
  const request = readRequest('holding', 0, 2);
  // Checksum as calculators of other people say.
  const frame = bytes('01 03 04 00 06 00 05 DA 31');

  test('should end in the checksum, its low byte first', () => {
    assert.equal(hex(rtuFrame(1, request.pdu)), '010300000002c40b');
    assert.equal(hex(rtuFrame(1, frame.slice(1, -2))), hex(frame));
  });

  test('should be found with noise before and behind it, and in no other state', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (before, behind) => {
        const found = findAnswer(Uint8Array.of(...before, ...frame, ...behind), 1, request);
        assert.deepEqual(found, frame.slice(1, -2));
      }),
      { numRuns: 300 },
    );
    for (let length = 0; length < frame.length; length++)
      assert.equal(findAnswer(frame.slice(0, length), 1, request), undefined);
  });

  test('should not be taken with one bit wrong', () => {
    for (let bit = 0; bit < 8 * frame.length; bit++) {
      const broken = frame.slice();
      broken[bit >> 3]! ^= 1 << (bit & 7);
      assert.equal(findAnswer(broken, 1, request), undefined, `bit ${bit}`);
    }
  });

  test('should say what is wrong with what came', () => {
    const broken = Uint8Array.of(...frame.slice(0, -1), 0);
    assert.match(whatIsWrong(broken, 1, request), /^its checksum is wrong \(0103/);
    assert.match(whatIsWrong(frame, 2, request), /^unit 1 answered instead/);
    assert.match(whatIsWrong(Uint8Array.of(0, 255), 1, request), /^00FF came instead of one: noise/);
  });

  test('security: should neither fail nor hang on whatever comes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1_024 }), (noise) => {
        findAnswer(noise, 1, request);
        assert.ok(whatIsWrong(noise, 1, request).length < 200);
      }),
      { numRuns: 300 },
    );
  });
});

describe('frames of a connection', () => {
  test('should be whole however they are cut', () => {
    const sent = [1, 2, 3].map((number) => tcpFrame(number, 7, Uint8Array.of(3, 2, 0, number)));
    const all = Buffer.concat(sent);
    for (let size = 1; size <= all.length; size++) {
      const frames = new TcpFrames();
      const got = [];
      for (let at = 0; at < all.length; at += size)
        got.push(...(frames.push(all.subarray(at, at + size)) ?? []));
      assert.deepEqual(
        got.map(({ transaction, unit, pdu }) => [transaction, unit, pdu.at(-1)]),
        [
          [1, 7, 1],
          [2, 7, 2],
          [3, 7, 3],
        ],
      );
    }
  });

  test('security: should end at what is not Modbus, and keep no more than a frame', () => {
    assert.equal(new TcpFrames().push(Buffer.from('HTTP/1.1 400 Bad Request\r\n')), null);
    assert.equal(new TcpFrames().push(bytes('0001 0000 00FF 01')), null);
    assert.equal(new TcpFrames().push(bytes('0001 0000 0001 01')), null);
    assert.deepEqual(new TcpFrames().push(bytes('0001 0000 00FE 01')), []);
  });
});
