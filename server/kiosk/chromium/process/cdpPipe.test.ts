import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, test } from 'node:test';
import { settled } from '../../../testing/fakeClock.ts';
import { CdpError, CdpPipe, LONGEST_MESSAGE } from './cdpPipe.ts';
import type { CdpEvent, ConsoleCall } from './cdpProtocol.ts';

describe('CdpPipe', () => {
  let commands: PassThrough;
  let messages: PassThrough;
  let events: CdpEvent[];
  let broken: Error[];
  let pipe: CdpPipe;

  beforeEach(() => {
    commands = new PassThrough();
    messages = new PassThrough();
    events = [];
    broken = [];
    pipe = new CdpPipe(
      commands,
      messages,
      (event) => events.push(event),
      (error) => broken.push(error),
    );
    pipe.open();
  });

  test('should send commands as JSON texts that end with NUL', async () => {
    void pipe.send('Page.enable', {}, 'S1').catch(() => {});
    void pipe.send('Browser.close', {}).catch(() => {});
    await settled();
    const sent = String(commands.read()).split('\0');
    assert.deepEqual(
      sent.slice(0, 2).map((text) => JSON.parse(text)),
      [
        { id: 1, method: 'Page.enable', params: {}, sessionId: 'S1' },
        { id: 2, method: 'Browser.close', params: {} },
      ],
    );
    assert.equal(sent[2], '');
  });

  test('should read answers and events however the bytes are split', async () => {
    const answer = pipe.send('Page.navigate', { url: 'http://ü' });
    const bytes = Buffer.from(
      '{"method":"Browser.downloadWillBegin","params":{"url":"€😀"}}\0{"id":1,"result":{"errorText":"ü"}}\0' +
        '{"method":"Inspector.targetCrashed","params":{}}\0',
    );
    for (const byte of bytes) messages.write(Buffer.of(byte));
    assert.deepEqual(await answer, { errorText: 'ü' });
    await settled();
    assert.deepEqual(
      events.map(({ method }) => method),
      ['Browser.downloadWillBegin', 'Inspector.targetCrashed'],
    );
    assert.deepEqual(events[0]?.params, { url: '€😀' });
  });

  test('should read the values of a console line only where they are asked for, however its bytes are split', async () => {
    const line = (args: string, tail = ',"sessionId":"A1"}') =>
      Buffer.from(`{"method":"Runtime.consoleAPICalled","params":{"type":"warning","args":${args}}${tail}`);
    const nul = Buffer.of(0);
    // What a page writes looks like an end, or like another event.
    const sly = '[{"type":"string","value":"€,\\"sessionId\\":\\"B2\\"}"}]';
    messages.write(Buffer.concat([line(sly), nul, line('[{]'), nul]));
    for (const byte of Buffer.concat([line('[]'), nul])) messages.write(Buffer.of(byte));
    // Without a session, or with the fields in another order, it is read as any event.
    messages.write(Buffer.concat([line('[]', '}'), nul]));
    await settled();
    assert.deepEqual(
      events.map(({ method, sessionId }) => [method, sessionId]),
      ['A1', 'A1', 'A1', undefined].map((session) => ['Runtime.consoleAPICalled', session]),
    );
    const calls = events.map(({ params }) => params as ConsoleCall);
    assert.deepEqual(
      calls.map(({ type }) => type),
      Array(4).fill('warning'),
    );
    assert.equal(calls[0]!.args[0]?.value, '€,"sessionId":"B2"}');
    assert.equal(calls[0]!.stackTrace, undefined);
    assert.throws(() => calls[1]!.args, SyntaxError);
    assert.deepEqual(calls[2]!.args, []);
    assert.deepEqual(broken, []);
  });

  test('should reject a refused command with its method and the words of the browser', async () => {
    const refused = pipe.send('Page.crash', {});
    messages.write('{"id":1,"error":{"code":-32000,"message":"Not attached"}}\0{"id":77,"result":{}}\0');
    await assert.rejects(refused, { name: 'CdpError', message: 'Page.crash: Not attached' });
  });

  test('should reject calls to a target once it is reported as gone, and nothing else', async () => {
    const told: string[] = [];
    const ofPage = pipe.send('Page.enable', {}, 'S1').catch(({ message }) => told.push(message));
    const ofOther = pipe.send('Page.enable', {}, 'S2');
    messages.write('{"method":"Target.detachedFromTarget","params":{"sessionId":"S1"}}\0');
    await ofPage;
    assert.deepEqual(told, ['Page.enable: the page is gone']);
    assert.equal(events.length, 1);
    messages.write('{"id":2,"result":{}}\0');
    await ofOther;
  });

  test('should reject pending and later calls when the browser is gone, and report no more events', async () => {
    const waiting = pipe.send('Page.enable', {});
    messages.destroy();
    await assert.rejects(waiting, CdpError);
    await assert.rejects(pipe.send('Page.enable', {}), /the browser is gone/);
  });

  test('should ignore everything that arrives after the end', async () => {
    pipe.close();
    messages.write('{"method":"Inspector.targetCrashed","params":{}}\0');
    await settled();
    assert.deepEqual(events, []);
  });

  const MIB = 1024 ** 2;
  /** An answer of so many bytes, in pieces of 1 MiB, without the byte that ends it. */
  const sendAnswer = async (bytes: number) => {
    const [head, tail] = ['{"id":1,"result":{"data":"', '"}}'];
    messages.write(head);
    for (let left = bytes - head.length - tail.length; left > 0; left -= MIB) {
      messages.write(Buffer.alloc(Math.min(left, MIB), 'x'));
      await settled();
    }
    messages.write(tail);
    await settled();
  };

  test('should read a message of 32 MiB, as a screenshot may be', async () => {
    const answer = pipe.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
    await sendAnswer(LONGEST_MESSAGE);
    messages.write(Buffer.of(0));
    assert.equal((await answer).data.length, LONGEST_MESSAGE - 29);
    assert.deepEqual(broken, []);
  });

  test('security: should hold at most 32 MiB of a message without an end, and give up the browser', async () => {
    const waiting = assert.rejects(pipe.send('Page.enable', {}), CdpError);
    await sendAnswer(LONGEST_MESSAGE);
    assert.equal(broken.length, 0);
    messages.write(Buffer.of(120));
    await settled();
    assert.match(broken[0]?.message ?? '', /longer than 32 MiB/);
    await waiting;
    // Nothing more is kept or read.
    assert.ok(messages.destroyed);
    assert.equal(broken.length, 1);
  });

  test('security: should give up the browser after an invalid message, and never throw', async () => {
    for (const bytes of [
      '{',
      'x',
      '',
      'null',
      '{"method":"Target.detachedFromTarget"}',
      '{"method":"Inspector.enable"}',
    ]) {
      const messages = new PassThrough();
      const failures: Error[] = [];
      const told = () => {
        throw new TypeError('a handler failed');
      };
      new CdpPipe(new PassThrough(), messages, told, (error) => failures.push(error)).open();
      messages.write(`${bytes}\0{"method":"Inspector.targetCrashed","params":{}}\0`);
      await settled();
      assert.equal(failures.length, 1, bytes);
      assert.ok(messages.destroyed);
    }
  });

  test('should survive a broken pipe', async () => {
    commands.destroy(new Error('EPIPE'));
    await settled();
    await assert.rejects(pipe.send('Page.enable', {}), CdpError);
  });
});
