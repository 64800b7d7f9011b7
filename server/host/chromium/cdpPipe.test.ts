import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, test } from 'node:test';
import { settled } from '../../testing/fakeClock.ts';
import { CdpError, CdpPipe } from './cdpPipe.ts';
import type { CdpEvent } from './cdpProtocol.ts';

describe('CdpPipe', () => {
  let commands: PassThrough;
  let messages: PassThrough;
  let events: CdpEvent[];
  let pipe: CdpPipe;

  beforeEach(() => {
    commands = new PassThrough();
    messages = new PassThrough();
    events = [];
    pipe = new CdpPipe(commands, messages, (event) => events.push(event));
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

  test('should read answers and events however the bytes are cut', async () => {
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

  test('should reject a refused command with its method and the words of the browser', async () => {
    const refused = pipe.send('Page.crash', {});
    messages.write('{"id":1,"error":{"code":-32000,"message":"Not attached"}}\0{"id":77,"result":{}}\0');
    await assert.rejects(refused, { name: 'CdpError', message: 'Page.crash: Not attached' });
  });

  test('should refuse what waits for a target that is gone, once that is told, and nothing else', async () => {
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

  test('should refuse what waits and what comes when the browser is gone, and tell no more events', async () => {
    const waiting = pipe.send('Page.enable', {});
    messages.destroy();
    await assert.rejects(waiting, CdpError);
    await assert.rejects(pipe.send('Page.enable', {}), /the browser is gone/);
  });

  test('should take nothing for true that arrives after the end', async () => {
    pipe.close();
    messages.write('{"method":"Inspector.targetCrashed","params":{}}\0');
    await settled();
    assert.deepEqual(events, []);
  });

  test('should survive a broken pipe', async () => {
    commands.destroy(new Error('EPIPE'));
    await settled();
    await assert.rejects(pipe.send('Page.enable', {}), CdpError);
  });
});
