import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { selfSigned } from '../../testing/selfSigned.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';

const WAITS = `document.title === 'Waiting' && document.readyState === 'complete'`;

describe('a page whose server is down', () => {
  let kiosk: TestKiosk;
  before(async () => {
    kiosk = await TestKiosk.open('/', { '/': '<h1>home</h1>' });
    await kiosk.untilTrue(`document.readyState === 'complete'`);
  });
  after(() => kiosk?.[Symbol.asyncDispose]());

  test('security: a page with a wrong certificate is not shown, and the screen says why', async () => {
    let requests = 0;
    const server = createServer(selfSigned('DNS:p1.localhost'), (_request, response) => {
      requests++;
      response.end('<h1>stranger</h1>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    kiosk.mayNavigate = () => true;
    try {
      await kiosk.host.navigate(`https://p1.localhost:${port}/`);
      // The waiting page is shown again with each attempt: in between there is no body to read.
      const shown = `${WAITS} && /ERR_CERT_/.test(document.body.innerText)`;
      await until(async () => kiosk.evaluateAnywhere<boolean>(shown).catch(() => false), 'the reason');
      assert.equal(requests, 0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
