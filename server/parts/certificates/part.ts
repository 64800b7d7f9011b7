import { definePart } from '../part.ts';
import { AuthorityFiles } from './authorities.ts';
import { certificatesCommands } from './contract.ts';
import { CertificatesService } from './service.ts';
import { TlsProbe } from './tlsProbe.ts';

/** Which certificates of devices and servers the panel trusts. */
export const certificates = definePart('certificates', ({ settings, store, dataDir, log }) => {
  const authorities = new AuthorityFiles(() => settings()['kiosk.authorities'], log);
  const service = new CertificatesService({
    probe: new TlsProbe(),
    dataDir,
    authorities: () => authorities.now(),
    log,
  });
  store.onLive((changed) => {
    if (changed.includes('kiosk.authorities')) service.authoritiesChanged();
  });
  return service;
}).answering(certificatesCommands);
