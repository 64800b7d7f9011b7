import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { selfSigned } from '../../testing/selfSigned.ts';
import { type Baresip, startBaresip } from '../../testing/sip/baresip.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import type { Owner } from './panel.ts';

/** A baresip that is called over TLS, on the port after its own, and accepts only encrypted media. */
interface TlsPeer {
  readonly baresip: Baresip;
  readonly place: { readonly host: string; readonly port: number };
  /** Fingerprint of its self-signed certificate. */
  readonly fingerprint: string;
}

/** @param account further parameters of its account */
export async function startTlsPeer(t: Owner, account: string): Promise<TlsPeer> {
  const folder = temporaryFolder('tls-peer');
  const { key, cert, fingerprint } = selfSigned();
  const file = join(folder, 'both.pem');
  await writeFile(file, `${key}${cert}`);
  const baresip = await startBaresip({
    accounts: [`<sip:@127.0.0.1:PORT;transport=tls>;regint=0;answermode=auto;mediaenc=srtp-mand;${account}`],
    modules: ['srtp.so'],
    config: [`sip_certificate ${file}`],
  });
  t.after(() => baresip.remove());
  return { baresip, place: { host: '127.0.0.1', port: baresip.port + 1 }, fingerprint };
}
