import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { onLinkUp, whyUnreachable } from './pageUnreachable.ts';

describe('an outage', () => {
  test('should be distinguished from a server that is there', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    assert.equal(await whyUnreachable(`http://p1.localhost:${port}/`), undefined);
    await new Promise((resolve) => server.close(resolve));
    assert.equal(await whyUnreachable(`http://p1.localhost:${port}/`), 'refused');
    assert.match((await whyUnreachable('http://faceplate.invalid/'))!, /^(no-name|unreachable)$/);
  });

  test('should end the wait at once when the panel gets a network address', () => {
    let addresses = ['127.0.0.1'];
    let due: (() => void) | undefined;
    let ups = 0;
    const clock = {
      now: () => 0,
      after: (_ms: number, action: () => void) => {
        due = action;
        return () => {
          due = undefined;
        };
      },
    };
    const end = onLinkUp(
      clock,
      () => ups++,
      () => addresses,
    );
    due?.();
    assert.equal(ups, 0);
    addresses = ['127.0.0.1', '192.168.1.7'];
    due?.();
    assert.equal(ups, 1);
    addresses = ['127.0.0.1'];
    due?.();
    assert.equal(ups, 1);
    end();
    assert.equal(due, undefined);
  });
});
