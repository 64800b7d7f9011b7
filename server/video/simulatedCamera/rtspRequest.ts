/** One RTSP request. Header names are in lower case; a repeated header keeps its first value. */
export interface RtspRequest {
  readonly method: string;
  readonly uri: string;
  readonly cseq: number;
  readonly headers: ReadonlyMap<string, string>;
}

/** Bytes that are no RTSP request; the connection ends after them. */
export class RtspSyntaxError extends Error {
  /** RTSP status to answer with. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'RtspSyntaxError';
    this.status = status;
  }
}

/** Request line and headers together may have this many bytes. */
export const MAX_HEADER_BYTES = 16_384;
/** The body of a request may have this many bytes. */
export const MAX_BODY_BYTES = 65_536;

const INTERLEAVED_MARK = 0x24;
const HEADER_END = Buffer.from('\r\n\r\n');

/** Cuts the bytes of a connection into requests (RFC 2326). Bodies and the client's interleaved RTCP are passed over. */
export class RtspRequestParser {
  #pending: Buffer = Buffer.alloc(0);
  /** Bytes of a body or an interleaved packet that are still to arrive and are discarded. */
  #skip = 0;

  /**
   * @returns the requests that are complete now.
   * @throws RtspSyntaxError
   */
  *push(chunk: Buffer): Generator<RtspRequest> {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    for (;;) {
      this.#dropSkipped();
      if (this.#skip > 0 || this.#pending.length === 0) return;
      if (this.#pending[0] === INTERLEAVED_MARK) {
        if (this.#pending.length < 4) return;
        this.#skip = 4 + this.#pending.readUInt16BE(2);
        continue;
      }
      if (this.#pending[0] === 0x0d || this.#pending[0] === 0x0a) {
        // Some clients send a stray line end between requests.
        this.#skip = 1;
        continue;
      }
      const end = this.#pending.indexOf(HEADER_END);
      if (end > MAX_HEADER_BYTES || (end < 0 && this.#pending.length > MAX_HEADER_BYTES)) {
        throw new RtspSyntaxError(400, 'The request header is too long.');
      }
      if (end < 0) return;
      const { request, bodyBytes } = parseHead(this.#pending.toString('latin1', 0, end));
      this.#skip = end + HEADER_END.length + bodyBytes;
      yield request;
    }
  }

  #dropSkipped(): void {
    const dropped = Math.min(this.#skip, this.#pending.length);
    this.#pending = this.#pending.subarray(dropped);
    this.#skip -= dropped;
  }
}

function parseHead(head: string): { request: RtspRequest; bodyBytes: number } {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const match = /^([A-Z_]{1,32}) (\S+) RTSP\/(\d\.\d)$/.exec(requestLine);
  if (!match) throw new RtspSyntaxError(400, 'The first line is no RTSP request.');
  const [, method, uri, version] = match;
  if (version !== '1.0') throw new RtspSyntaxError(505, 'Only RTSP 1.0 is spoken here.');

  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw new RtspSyntaxError(400, 'A header line has no name.');
    const name = line.slice(0, colon).trim().toLowerCase();
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  const cseq = wholeNumber(headers.get('cseq'));
  if (cseq === undefined) throw new RtspSyntaxError(400, 'The CSeq header is missing or no number.');
  const bodyBytes = wholeNumber(headers.get('content-length') ?? '0');
  if (bodyBytes === undefined) throw new RtspSyntaxError(400, 'Content-Length is no number.');
  if (bodyBytes > MAX_BODY_BYTES) throw new RtspSyntaxError(413, 'The request body is too long.');
  return { request: { method: method!, uri: uri!, cseq, headers }, bodyBytes };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
