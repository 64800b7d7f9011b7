import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from 'electron';
import type { HostCertificates } from '../server/kiosk/host.ts';
import { silentLogger } from '../server/platform/log.ts';
import { selfSigned } from '../server/testing/selfSigned.ts';
import { verifyCertificates } from './verifyCertificates.ts';

// A double written by hand from electron.d.ts: these tests never ran in Electron itself.
type Verify = NonNullable<Parameters<Session['setCertificateVerifyProc']>[0]>;

const { cert, fingerprint } = selfSigned();

function verifying(verdict: ReturnType<HostCertificates['judgeHost']>) {
  const procedures: (Verify | null)[] = [];
  const judged: unknown[] = [];
  let trusted = () => {};
  let ended = false;
  const certificates: HostCertificates = {
    mayTrust: async () => assert.fail('Electron hands the certificate over'),
    judgeHost: (server, { fingerprint256 }, reason) => {
      judged.push([server, fingerprint256, reason]);
      return verdict;
    },
    whyRefused: async () => undefined,
    onTrusted: (listener) => {
      trusted = listener;
      return () => {
        ended = true;
      };
    },
  };
  const double: Pick<Session, 'setCertificateVerifyProc'> = {
    setCertificateVerifyProc: (procedure) => procedures.push(procedure),
  };
  const home = () => ({ host: 'panel.local', port: 8443 });
  const end = verifyCertificates(double as Session, { certificates, home, log: silentLogger() });
  const ask = (hostname: string, errorCode: number, data = cert): number | undefined => {
    let answer: number | undefined;
    const request = {
      hostname,
      errorCode,
      certificate: { data },
      verificationResult: 'net::ERR_CERT_AUTHORITY_INVALID',
    };
    procedures.at(-1)?.(request as never, (result) => {
      answer = result;
    });
    return answer;
  };
  return { ask, judged, procedures, end, trust: () => trusted(), hasEnded: () => ended };
}

describe("Electron's certificate verify procedure (played by a double)", () => {
  test('security: should refuse what Chromium does not trust, and leave what it trusts to Chromium', () => {
    const { ask, judged } = verifying('refused');
    assert.equal(ask('hub.local', 0), -3);
    assert.deepEqual(judged, []);
    assert.equal(ask('hub.local', -202), -2);
    assert.equal(ask('panel.local', -202), -2);
    const reason = 'ERR_CERT_AUTHORITY_INVALID';
    assert.deepEqual(judged, [
      [{ host: 'hub.local', port: 443 }, fingerprint, reason],
      [{ host: 'panel.local', port: 8443 }, fingerprint, reason],
    ]);
    assert.equal(verifying('changed').ask('hub.local', -202), -2);
    assert.equal(verifying('trusted').ask('hub.local', -202, 'no certificate'), -2);
  });

  test('should accept the pinned certificate, and ask again when one is trusted', () => {
    const { ask, procedures, trust, end, hasEnded } = verifying('trusted');
    assert.equal(ask('hub.local', -202), 0);
    trust();
    assert.equal(procedures.length, 2);
    end();
    assert.equal(procedures.at(-1), null);
    assert.ok(hasEnded());
  });
});
