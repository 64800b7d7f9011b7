import { definePart } from '../part.ts';
import { certificateSource } from './certificateSource.ts';
import { HttpsService } from './service.ts';

/** The certificate of HTTPS. */
export const https = definePart(
  'https',
  ({ loaded, settings, clock, log }) =>
    new HttpsService({
      source: certificateSource(loaded.settings, () => settings()['http.allowedHosts'], log),
      clock,
      log,
    }),
);
