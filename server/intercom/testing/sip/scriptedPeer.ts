import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ReceivedRequest,
  type ReceivedResponse,
  responseTo,
  serialise,
} from '../../sip/message/message.ts';
import { parseMessage } from '../../sip/message/parse.ts';
import { LOOPBACK } from './testAgent.ts';

type Received = ReceivedRequest | ReceivedResponse;

/** A UDP socket whose messages are all written by the test. */
export class ScriptedPeer {
  readonly received: Received[] = [];
  /** Answers BYE automatically. */
  answersBye = true;
  readonly #socket: Socket;
  readonly #address: string;
  readonly #panel: () => number;
  #branches = 0;

  private constructor(socket: Socket, address: string, panel: () => number) {
    this.#socket = socket;
    this.#address = address;
    this.#panel = panel;
    socket.on('message', (data) => {
      const message = parseMessage(data);
      if (message.kind === 'malformed') return;
      this.received.push(message);
      if (message.kind === 'request' && message.method === 'BYE' && this.answersBye)
        this.answer(message, 200);
    });
  }

  /**
   * @param panel port of the agent under test
   * @param address its own; any of 127.0.0.0/8
   */
  static async open(t: TestContext, panel: () => number, address = LOOPBACK): Promise<ScriptedPeer> {
    const socket = createSocket('udp4');
    socket.bind(0, address);
    await once(socket, 'listening');
    t.after(() => socket.close());
    return new ScriptedPeer(socket, address, panel);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  get contact(): string {
    return `<sip:door@${this.#address}:${this.port}>`;
  }

  /** Sends a request; `fields` follow or replace the usual ones. */
  request(method: string, fields: Readonly<Record<string, string>> = {}, body = ''): void {
    const { uri = 'sip:panel1@127.0.0.1', ...rest } = fields;
    const all: Record<string, string> = {
      Via: `SIP/2.0/UDP ${this.#address}:${this.port};branch=z9hG4bK-s${++this.#branches};rport`,
      From: `"Front door" <sip:door@${this.#address}>;tag=theirs`,
      To: '<sip:panel1@127.0.0.1>',
      'Call-ID': 'scripted-1',
      CSeq: `1 ${method}`,
      Contact: this.contact,
      'Max-Forwards': '70',
      ...(body === '' ? {} : { 'Content-Type': 'application/sdp' }),
      ...rest,
      'Content-Length': String(Buffer.byteLength(body)),
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.raw(`${method} ${uri} SIP/2.0\r\n${lines.join('')}\r\n${body}`);
  }

  raw(text: string): void {
    this.#socket.send(text, this.#panel(), LOOPBACK);
  }

  /** Answers one of the agent's requests. */
  answer(
    request: ReceivedRequest,
    status: number,
    fields: Readonly<Record<string, string>> = {},
    body = '',
    tag = 'theirs',
  ): void {
    const response = { ...responseTo(request, status, tag), body: Buffer.from(body) };
    if (body !== '') response.headers.set('content-type', 'application/sdp');
    if (status > 100 && status < 300) response.headers.set('contact', this.contact);
    for (const [name, value] of Object.entries(fields)) response.headers.set(name.toLowerCase(), value);
    this.#socket.send(serialise(response), this.#panel(), LOOPBACK);
  }

  /** Waits for request number `at` (from 0) of this method. @throws Error after ten seconds */
  async next(method: string, at = 0): Promise<ReceivedRequest> {
    return this.#wait(
      () =>
        this.received.filter((m): m is ReceivedRequest => m.kind === 'request' && m.method === method)[at],
      `${method} ${at}`,
    );
  }

  /** Waits for response number `at` (from 0) with this status. @throws Error after ten seconds */
  async response(status: number, at = 0): Promise<ReceivedResponse> {
    return this.#wait(
      () =>
        this.received.filter((m): m is ReceivedResponse => m.kind === 'response' && m.status === status)[at],
      `${status} ${at}`,
    );
  }

  /** `INVITE`, `180` ...: all that came, in order, repetitions too. */
  get seen(): string[] {
    return this.received.map((message) =>
      message.kind === 'request' ? message.method : String(message.status),
    );
  }

  async #wait<T>(find: () => T | undefined, what: string): Promise<T> {
    const deadline = performance.now() + 10_000;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (performance.now() > deadline) throw new Error(`${what} never came; seen: ${this.seen.join(' ')}`);
      await sleep(5);
    }
  }
}
