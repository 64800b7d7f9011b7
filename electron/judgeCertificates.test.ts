import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import type { App, Session } from 'electron';
import type { HostCertificates } from '../server/kiosk/host.ts';
import { silentLogger } from '../server/platform/log.ts';
import { selfSigned } from '../server/testing/selfSigned.ts';
import { judgeCertificates } from './judgeCertificates.ts';

// What the real Electron shows stands in server/kiosk/testing/suite/certificateTests.ts.
const { cert, fingerprint } = selfSigned();

function judging(verdict: ReturnType<HostCertificates['judgeShown']>) {
  const app = new EventEmitter();
  const judged: unknown[] = [];
  const certificates: HostCertificates = {
    mayTrust: async () => assert.fail('Electron hands the certificate over'),
    judgeShown: (server, { fingerprint256 }, reason) => {
      judged.push([server, fingerprint256, reason]);
      return verdict;
    },
    whyRefused: async () => undefined,
    onTrusted: () => () => {},
  };
  const end = judgeCertificates({
    app: app as unknown as App,
    session: {} as Session,
    certificates,
    log: silentLogger(),
  });
  const ask = (url: string, data = cert): Promise<boolean> =>
    new Promise((answer) => {
      const event = { preventDefault: () => {} };
      app.emit('certificate-error', event, {}, url, 'net::ERR_CERT_AUTHORITY_INVALID', { data }, answer);
    });
  return { app, ask, judged, end };
}

describe("Electron's event certificate-error (played by a double)", () => {
  test('security: should refuse what neither Chromium nor a pin trusts, and what is no certificate', async () => {
    const { ask, judged } = judging('refused');
    assert.equal(await ask('https://hub.local/a'), false);
    assert.equal(await ask('wss://panel.local:8443/b'), false);
    const reason = 'ERR_CERT_AUTHORITY_INVALID';
    assert.deepEqual(judged, [
      [{ host: 'hub.local', port: 443 }, fingerprint, reason],
      [{ host: 'panel.local', port: 8443 }, fingerprint, reason],
    ]);
    assert.equal(await judging('changed').ask('https://hub.local/'), false);
    assert.equal(await judging('trusted').ask('https://hub.local/', 'no certificate'), false);
  });

  test('should accept the pinned certificate, and judge none when it has ended', async () => {
    const { app, ask, end } = judging('trusted');
    assert.equal(await ask('https://hub.local/'), true);
    end();
    assert.equal(app.listenerCount('certificate-error'), 0);
  });
});
