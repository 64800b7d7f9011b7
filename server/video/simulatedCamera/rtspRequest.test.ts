import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_BODY_BYTES, MAX_HEADER_BYTES, RtspRequestParser, RtspSyntaxError } from './rtspRequest.ts';

const OPTIONS = 'OPTIONS rtsp://h/demo RTSP/1.0\r\nCSeq: 7\r\nUser-Agent: test\r\n\r\n';

function statusOf(text: string): number {
  try {
    [...new RtspRequestParser().push(Buffer.from(text, 'latin1'))];
  } catch (error) {
    assert.ok(error instanceof RtspSyntaxError);
    return error.status;
  }
  return assert.fail('was accepted');
}

describe('RtspRequestParser', () => {
  it('should read a request that arrives byte by byte', () => {
    const parser = new RtspRequestParser();
    const requests = [...OPTIONS].flatMap((letter) => [...parser.push(Buffer.from(letter))]);
    assert.equal(requests.length, 1);
    assert.equal(requests[0]!.method, 'OPTIONS');
    assert.equal(requests[0]!.uri, 'rtsp://h/demo');
    assert.equal(requests[0]!.cseq, 7);
    assert.equal(requests[0]!.headers.get('user-agent'), 'test');
  });

  it('should read requests that arrive together, with bodies, interleaved packets and stray line ends between', () => {
    const withBody = 'GET_PARAMETER rtsp://h/demo RTSP/1.0\r\nCSeq: 8\r\nContent-Length: 5\r\n\r\n$bod\n';
    const packet = '$\x01\x00\x04OPT\n';
    const all = Buffer.from(`\r\n${OPTIONS}${packet}${withBody}${packet}${OPTIONS}`, 'latin1');
    const methods = [...new RtspRequestParser().push(all)].map((request) => request.method);
    assert.deepEqual(methods, ['OPTIONS', 'GET_PARAMETER', 'OPTIONS']);
  });

  it('should refuse anything but RTSP requests', () => {
    assert.equal(statusOf('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'), 400);
    assert.equal(statusOf('OPTIONS\r\n\r\n'), 400);
    assert.equal(statusOf('OPTIONS * RTSP/1.0\r\n\r\n'), 400);
    assert.equal(statusOf('OPTIONS * RTSP/1.0\r\nCSeq: -1\r\n\r\n'), 400);
    assert.equal(statusOf('OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nno name\r\n\r\n'), 400);
    assert.equal(statusOf('OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: many\r\n\r\n'), 400);
    assert.equal(statusOf('OPTIONS * RTSP/2.0\r\nCSeq: 1\r\n\r\n'), 505);
  });

  it('should limit headers and bodies', () => {
    assert.equal(statusOf('x'.repeat(MAX_HEADER_BYTES + 1)), 400);
    assert.equal(
      statusOf(`OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nX: ${'x'.repeat(MAX_HEADER_BYTES)}\r\n\r\n`),
      400,
    );
    assert.equal(
      statusOf(`SETUP * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n`),
      413,
    );
  });
});
