import { randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { until } from '../../../testing/waiting.ts';

/** How long an answer may take before a request is sent again, in milliseconds (RFC 3261 section 17.1.1.1). */
const T1_MS = 500;

const newBranch = () => `z9hG4bK${randomBytes(6).toString('hex')}`;

/** The parts of a call that tests of media need. */
export interface PlainCall {
  /** The remote party's description, its offer or its answer. */
  readonly sdp: string;
  /** Answers the remote party's INVITE. */
  respond(status: number, sdp?: string): void;
  /** The remote party hung up. */
  readonly isOver: () => boolean;
  hangup(): void;
}

interface Message {
  readonly start: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** Just enough SIP for one call over loopback, where no message is lost: INVITE, its answers, ACK and BYE. */
export class PlainSip {
  readonly #socket: Socket = createSocket('udp4');
  readonly #tag = randomBytes(4).toString('hex');
  #incoming: PlainCall | undefined;
  #answers: Message[] = [];
  #isOver = false;

  static async open(t: TestContext): Promise<PlainSip> {
    const sip = new PlainSip();
    sip.#socket.bind(0, '127.0.0.1');
    await once(sip.#socket, 'listening');
    sip.#socket.on('message', (data, from) => sip.#receive(data.toString('latin1'), from));
    t.after(() => sip.#socket.close());
    return sip;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Resolves with the first INVITE. */
  async incoming(): Promise<PlainCall> {
    await until(() => this.#incoming !== undefined, 'an INVITE');
    return this.#incoming!;
  }

  /**
   * Calls a remote party and waits until it is answered. @param onEarly gets the description of a 183
   * @throws Error for a refusal.
   */
  async call(port: number, sdp: string, onEarly: (sdp: string) => void = () => {}): Promise<PlainCall> {
    const callId = randomBytes(8).toString('hex');
    const target = `sip:peer@127.0.0.1:${port}`;
    const request = (method: string, number: number, to: string, body = '', branch = newBranch()): void => {
      this.#send(
        port,
        `${method} ${target} SIP/2.0`,
        [
          `Via: SIP/2.0/UDP 127.0.0.1:${this.port};branch=${branch};rport`,
          `From: <sip:panel@127.0.0.1:${this.port}>;tag=${this.#tag}`,
          to,
          `Call-ID: ${callId}`,
          `CSeq: ${number} ${method}`,
          `Contact: <sip:panel@127.0.0.1:${this.port}>`,
          'Max-Forwards: 70',
          ...(body === '' ? [] : ['Content-Type: application/sdp']),
        ],
        body,
      );
    };
    const inviteBranch = newBranch();
    const invite = () => request('INVITE', 1, `To: <${target}>`, sdp, inviteBranch);
    let sentAt = performance.now();
    invite();
    const answer = (): Message | undefined =>
      this.#answers.find(({ start }) => /^SIP\/2\.0 [2-6]/.test(start));
    let wasEarly = false;
    await until(() => {
      // The peer may not listen yet (RFC 3261 section 17.1.1.2, timer A).
      if (this.#answers.length === 0 && performance.now() - sentAt > T1_MS) {
        sentAt = performance.now();
        invite();
      }
      const early = this.#answers.find(({ start, body }) => /^SIP\/2\.0 18/.test(start) && body !== '');
      if (early !== undefined && !wasEarly) {
        wasEarly = true;
        onEarly(early.body);
      }
      return answer() !== undefined;
    }, 'an answer to the INVITE');
    const { start, headers, body } = answer()!;
    const to = headers.find((line) => /^to:/i.test(line))!;
    request('ACK', 1, to);
    if (!start.startsWith('SIP/2.0 200')) throw new Error(start);
    return {
      sdp: body,
      respond: () => {},
      isOver: () => this.#isOver,
      hangup: () => request('BYE', 2, to),
    };
  }

  #receive(text: string, from: RemoteInfo): void {
    const [head = '', body = ''] = text.split(/\r\n\r\n([\s\S]*)/);
    const [start = '', ...headers] = head.split('\r\n');
    if (start.startsWith('SIP/2.0')) {
      this.#answers.push({ start, headers, body });
      return;
    }
    const kept = headers.filter((line) => /^(via|from|to|call-id|cseq):/i.test(line));
    const tagged = kept.map((line) =>
      /^to:/i.test(line) && !line.includes('tag=') ? `${line};tag=${this.#tag}` : line,
    );
    const respond = (status: number, sdp = ''): void => {
      const contact = [`Contact: <sip:panel@127.0.0.1:${this.port}>`];
      const type = sdp === '' ? [] : ['Content-Type: application/sdp'];
      this.#send(from.port, `SIP/2.0 ${status} Fine`, [...tagged, ...contact, ...type], sdp);
    };
    if (start.startsWith('INVITE')) {
      if (this.#incoming === undefined) respond(180);
      this.#incoming ??= { sdp: body, respond, isOver: () => this.#isOver, hangup: () => {} };
    } else if (!start.startsWith('ACK')) {
      if (start.startsWith('BYE')) this.#isOver = true;
      respond(200);
    }
  }

  #send(port: number, start: string, headers: readonly string[], body: string): void {
    const lines = [start, ...headers, `Content-Length: ${Buffer.byteLength(body)}`, '', body];
    this.#socket.send(lines.join('\r\n'), port, '127.0.0.1');
  }
}
